import type { JSX } from 'preact';
import type { Histogram } from '../api-types.ts';
import { counted, numberText } from '../text/numbers.ts';
import { durationText } from '../text/times.ts';
import { shownBuckets } from './buckets.ts';

/** How values lie, as a table whose rows have bars. */
export function Histogram({
  name,
  color,
  histogram,
}: {
  readonly name: string;
  readonly color: string;
  readonly histogram: Histogram;
}): JSX.Element {
  const { buckets, count, min, median, p95, max } = histogram;
  const most = Math.max(1, ...buckets.map((bucket) => bucket.count));
  return (
    <div class="histogram">
      <table>
        <caption>
          <b>{name}</b>: median {durationText(median)}, 95% {durationText(p95)}
          <span class="muted">
            {' '}
            ({durationText(min)} to {durationText(max)}, {counted(count, 'claim')})
          </span>
        </caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Claims</th>
          </tr>
        </thead>
        <tbody>
          {shownBuckets(buckets).map(({ upTo, count: inBucket }) => (
            <tr key={upTo ?? 'more'}>
              <th scope="row">{upTo === undefined ? 'more' : `to ${durationText(upTo)}`}</th>
              <td>
                <span
                  class="bar"
                  style={{ width: `${(inBucket / most) * 100}%`, background: `var(${color})` }}
                  aria-hidden="true"
                />
                <span class="bar-count">{numberText(inBucket)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
