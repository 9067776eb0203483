import type { JSX } from 'preact';
import type { ClaimState } from '../../api-types.ts';
import { overview } from '../../api/live.ts';
import { type ClaimFilter, hrefOf } from '../../filters/claim-filter.ts';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { useStore } from '../../state/store.ts';
import { countText, STATE_NAME, STATES } from '../../text/words.ts';

/** The states, each with its count and a link that keeps the search. */
export function StateTabs({ filter }: { readonly filter: ClaimFilter }): JSX.Element {
  const counts = useStore(overview)?.counts;
  const { state: current, ...rest } = filter;
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
