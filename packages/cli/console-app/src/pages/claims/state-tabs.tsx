import type { JSX } from 'preact';
import type { ClaimState, ParkedKind } from '../../api-types.ts';
import { overview } from '../../api/live.ts';
import { type ClaimFilter, hrefOf } from '../../filters/claim-filter.ts';
import { Icon, PARKED_ICON } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { useStore } from '../../state/store.ts';
import { countText, PARKED_KINDS, PARKED_NAME, RELEASED_NAME, STATE_NAME, STATES } from '../../text/words.ts';

/** The states, each with its count and a link that keeps the search. */
export function StateTabs({ filter }: { readonly filter: ClaimFilter }): JSX.Element {
  const counts = useStore(overview)?.counts;
  const { state: current, parked: _parked, released: _released, ...rest } = filter;
  return (
    <nav aria-label="States">
      <ul class="tabs">
        <li>
          <Link href={hrefOf(rest)} aria-current={current === undefined ? ('true' as const) : undefined}>
            All
          </Link>
        </li>
        {STATES.map((state: ClaimState) => (
          <li key={state}>
            <Link
              href={hrefOf({ ...rest, state })}
              data-state={state}
              aria-current={current === state ? ('true' as const) : undefined}
            >
              <Icon name={state} />
              {STATE_NAME[state]}
              {counts !== undefined && counts[state].count !== null && (
                <span class="tab-count">{countText(counts[state]).value}</span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The kinds of parked claims as links that keep the search; nothing for other states. */
export function ParkedTabs({ filter }: { readonly filter: ClaimFilter }): JSX.Element | null {
  if (filter.state !== 'parked') return null;
  const { parked: current, ...rest } = filter;
  return (
    <nav aria-label="Why parked">
      <ul class="tabs">
        <li>
          <Link href={hrefOf(rest)} aria-current={current === undefined ? ('true' as const) : undefined}>
            Any reason
          </Link>
        </li>
        {PARKED_KINDS.map((kind: ParkedKind) => (
          <li key={kind}>
            <Link
              href={hrefOf({ ...rest, parked: kind })}
              data-parked={kind}
              aria-current={current === kind ? ('true' as const) : undefined}
            >
              <Icon name={PARKED_ICON[kind]} />
              {PARKED_NAME[kind]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Failed claims apart from those that a person released; nothing for other states. */
export function ReleasedTabs({ filter }: { readonly filter: ClaimFilter }): JSX.Element | null {
  if (filter.state !== 'failed') return null;
  const { released: current, ...rest } = filter;
  const tabs = [
    { released: undefined, state: undefined, text: 'Both' },
    { released: 'no', state: 'failed', text: STATE_NAME.failed },
    { released: 'yes', state: 'released', text: RELEASED_NAME },
  ] as const;
  return (
    <nav aria-label="Failed or released">
      <ul class="tabs">
        {tabs.map(({ released, state, text }) => (
          <li key={text}>
            <Link
              href={hrefOf(released === undefined ? rest : { ...rest, released })}
              {...(state !== undefined && { 'data-state': state })}
              aria-current={current === released ? ('true' as const) : undefined}
            >
              {state !== undefined && <Icon name={state} />}
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
