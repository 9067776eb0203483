import type { JSX } from 'preact';
import type { ClaimState, Count, JobJson } from '../../api-types.ts';
import { hrefOf } from '../../filters/claim-filter.ts';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { countText, STATE_MEANING, STATE_NAME, STATES } from '../../text/words.ts';
import { ReadAllButton } from './read-all-button.tsx';

/** How many claims are in each state; each count leads to its list. */
export function Counters({
  counts,
  estimatedRows,
  jobs,
}: {
  readonly counts: Readonly<Record<ClaimState, Count>>;
  readonly estimatedRows: number | undefined;
  readonly jobs: readonly JobJson[];
}): JSX.Element {
  const isUnknown = STATES.some((state) => counts[state].kind === 'unknown');
  return (
    <section aria-label="Claims by state">
      <ul class="counters">
        {STATES.map((state) => (
          <li key={state}>
            <Counter state={state} count={counts[state]} />
          </li>
        ))}
      </ul>
      {isUnknown && (
        <p class="counters-note">
          Some states can be counted only by reading the whole table.{' '}
          <ReadAllButton text="Count all claims" estimatedRows={estimatedRows} jobs={jobs} />
        </p>
      )}
    </section>
  );
}

function Counter({ state, count }: { readonly state: ClaimState; readonly count: Count }): JSX.Element {
  const { value, note } = countText(count);
  const isWaiting = (state === 'overdue' || state === 'parked') && (count.count ?? 0) > 0;
  return (
    <Link
      href={hrefOf({ state, by: 'prefix', q: '' })}
      class={isWaiting ? 'counter counter-waiting' : 'counter'}
      data-state={state}
      title={STATE_MEANING[state]}
    >
      <span class="counter-name">
        <Icon name={state} />
        {STATE_NAME[state]}
      </span>
      <span class="counter-value">{value}</span>
      <span class="counter-note">{note}</span>
    </Link>
  );
}
