import type { JSX } from 'preact';
import type { HolderJson } from '../../api-types.ts';
import { listHref } from '../../filters/claim-filter.ts';
import { Ago } from '../../parts/age.tsx';
import { Link } from '../../parts/link.tsx';
import { Notice } from '../../parts/notice.tsx';
import { numberText } from '../../text/numbers.ts';
import { shown } from '../../text/shown.ts';

/** The most that are shown. */
const MOST = 12;

/** The functions and workers that hold claims now, with their load. */
export function Holders({
  holders,
  isKnown,
  isWhole,
}: {
  readonly holders: readonly HolderJson[];
  readonly isKnown: boolean;
  readonly isWhole: boolean;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="holders-title">
      <h2 id="holders-title">Who holds claims</h2>
      {holders.length === 0 ? (
        <Notice
          title={
            isKnown
              ? 'Nobody holds a claim at the moment.'
              : 'Claims in progress have not been looked for yet.'
          }
        />
      ) : (
        <table class="table stacked">
          <thead>
            <tr>
              <th scope="col">Function or worker</th>
              <th scope="col" class="number">
                Running
              </th>
              <th scope="col" class="number">
                Overdue
              </th>
              <th scope="col">Oldest claimed</th>
            </tr>
          </thead>
          <tbody>
            {holders.slice(0, MOST).map(({ lockedBy, running, overdue, oldestClaimedAt }) => (
              <tr key={lockedBy}>
                <th scope="row" class="mono small">
                  {lockedBy === null ? (
                    'not known'
                  ) : (
                    <Link href={listHref(undefined, { holder: lockedBy })}>{shown(lockedBy)}</Link>
                  )}
                </th>
                <td data-label="Running" class="number">
                  {numberText(running)}
                </td>
                <td data-label="Overdue" class={overdue > 0 ? 'number is-overdue' : 'number'}>
                  {numberText(overdue)}
                </td>
                <td data-label="Oldest claimed">
                  <Ago at={oldestClaimedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!isWhole && <p class="muted small">There are more claims than were read for this.</p>}
      {holders.length > MOST && <p class="muted small">and {numberText(holders.length - MOST)} more</p>}
    </section>
  );
}
