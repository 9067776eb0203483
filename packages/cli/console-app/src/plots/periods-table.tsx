import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { StatisticsPeriod } from '../api-types.ts';
import { Link } from '../parts/link.tsx';
import { localTime } from '../text/times.ts';
import { periodHref } from './period-href.ts';

/** The most rows; the latest are shown. */
const MOST = 60;

/** A plot's data as a table, made only while it is open. */
export function PeriodsTable({
  caption,
  periods,
  periodMs,
  columns,
}: {
  readonly caption: string;
  readonly periods: readonly StatisticsPeriod[];
  readonly periodMs: number;
  readonly columns: readonly { readonly name: string; readonly text: (period: StatisticsPeriod) => string }[];
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="as-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Show as a table<span class="visually-hidden">: {caption}</span>
      </summary>
      {isOpen && (
        <div class="scroll" role="region" tabIndex={0} aria-label={caption}>
          <table class="table table-small">
            <caption class="visually-hidden">{caption}</caption>
            <thead>
              <tr>
                <th scope="col">From</th>
                {columns.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {periods
                .slice(-MOST)
                .toReversed()
                .map((period) => (
                  <tr key={period.from}>
                    <th scope="row">
                      <Link href={periodHref(period.from, periodMs)}>{localTime(period.from)}</Link>
                    </th>
                    {columns.map(({ name, text }) => (
                      <td key={name} class="number">
                        {text(period)}
                      </td>
                    ))}
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
