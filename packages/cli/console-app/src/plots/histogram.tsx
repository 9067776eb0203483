import type { JSX } from 'preact';
import type { Histogram } from '../api-types.ts';
import { Link } from '../parts/link.tsx';
import { counted, numberText } from '../text/numbers.ts';
import { durationText } from '../text/times.ts';
import { shownBuckets } from './buckets.ts';

/** How values lie, as a table whose rows have bars. */
export function Histogram({
  name,
  color,
  histogram,
  hrefFrom,
}: {
  readonly name: string;
  readonly color: string;
  readonly histogram: Histogram;
  /** The list of the claims with at least this many milliseconds. */
  readonly hrefFrom: (ms: number) => string;
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
          {shownBuckets(buckets).map(({ upTo, from, count: inBucket }) => (
            <tr key={upTo ?? 'more'}>
              <th scope="row">
                <Link href={hrefFrom(from)} title={`Show the claims with ${durationText(from)} or more`}>
                  {upTo === undefined ? 'more' : `to ${durationText(upTo)}`}
                  <span class="visually-hidden">, {name.toLowerCase()}</span>
                </Link>
              </th>
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
