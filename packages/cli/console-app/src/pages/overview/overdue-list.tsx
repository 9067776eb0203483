import type { JSX } from 'preact';
import type { Count, OverdueJson } from '../../api-types.ts';
import { claimHref, hrefOf } from '../../filters/claim-filter.ts';
import { Since } from '../../parts/age.tsx';
import { Link } from '../../parts/link.tsx';
import { Notice } from '../../parts/notice.tsx';
import { numberText } from '../../text/numbers.ts';
import { shown } from '../../text/shown.ts';
import { isoOf } from '../../text/times.ts';

/** The claims that are overdue longest: for how long, and who had them. */
export function OverdueList({
  overdue,
  count,
}: {
  readonly overdue: readonly OverdueJson[];
  readonly count: Count;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="overdue-title">
      <h2 id="overdue-title">Overdue longest</h2>
      {overdue.length === 0 ? (
        <Nothing count={count} />
      ) : (
        <table class="table stacked overdue-table">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col" class="cell-age">
                Overdue for
              </th>
              <th scope="col">Held by</th>
            </tr>
          </thead>
          <tbody>
            {overdue.map(({ key, sinceMs, lockedBy }) => (
              <tr key={key}>
                <th scope="row" class="mono">
                  <Link href={claimHref(key)}>{shown(key)}</Link>
                </th>
                <td data-label="Overdue for">
                  <Since at={isoOf(sinceMs)} />
                </td>
                <td data-label="Held by" class="mono small one-line" title={lockedBy && shown(lockedBy)}>
                  {lockedBy === undefined ? '–' : shown(lockedBy)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {(count.count ?? 0) > overdue.length && overdue.length > 0 && (
        <p>
          <Link href={hrefOf({ state: 'overdue', by: 'prefix', q: '' })}>
            Show all {numberText(count.count ?? 0)}
          </Link>
        </p>
      )}
    </section>
  );
}

function Nothing({ count }: { readonly count: Count }): JSX.Element {
  return count.kind === 'unknown' ? (
    <Notice title="Overdue claims have not been looked for yet.">
      <p>Without the index, finding them reads the whole table.</p>
    </Notice>
  ) : (
    <Notice title="No claim is overdue." icon="check" />
  );
}
