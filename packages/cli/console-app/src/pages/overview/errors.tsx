import type { JSX } from 'preact';
import type { ClaimState, StatisticsJson } from '../../api-types.ts';
import { listHref } from '../../filters/claim-filter.ts';
import { Ago } from '../../parts/age.tsx';
import { Link } from '../../parts/link.tsx';
import { Notice } from '../../parts/notice.tsx';
import { counted, numberText } from '../../text/numbers.ts';
import { shown } from '../../text/shown.ts';
import { STATE_NAME } from '../../text/words.ts';

/** The failed and parked claims by error; each count leads to its list. */
export function Errors({
  statistics,
}: {
  readonly statistics: StatisticsJson | undefined;
}): JSX.Element | null {
  if (statistics === undefined) return null;
  const { errors } = statistics;
  return (
    <section class="panel" aria-labelledby="errors-title">
      <h2 id="errors-title">Failures by error</h2>
      {errors.length === 0 ? (
        <Notice title="No claim is failed or parked with an error." icon="check" />
      ) : (
        <table class="table stacked">
          <thead>
            <tr>
              <th scope="col">Error</th>
              <th scope="col" class="number">
                Parked
              </th>
              <th scope="col" class="number">
                Failed
              </th>
              <th scope="col">Latest</th>
            </tr>
          </thead>
          <tbody>
            {errors.map(({ name, message, parked, failed, latestAt }) => (
              <tr key={name}>
                <th scope="row" class="cell-why">
                  <span class="clamp" title={shown(message)}>
                    <b>{shown(name)}</b>: {shown(message)}
                  </span>
                </th>
                <CountCell state="parked" error={name} count={parked} />
                <CountCell state="failed" error={name} count={failed} />
                <td data-label="Latest">
                  <Ago at={latestAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function CountCell({
  state,
  error,
  count,
}: {
  readonly state: ClaimState;
  readonly error: string;
  readonly count: number;
}): JSX.Element {
  return (
    <td data-label={STATE_NAME[state]} class="number">
      {count === 0 ? (
        '–'
      ) : (
        <Link href={listHref(state, { error })}>
          {numberText(count)}
          <span class="visually-hidden">
            {' '}
            {counted(count, `${state} claim`).replace(/^\S+ /, '')} with {shown(error)}
          </span>
        </Link>
      )}
    </td>
  );
}
