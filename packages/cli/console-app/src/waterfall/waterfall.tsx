import type { JSX } from 'preact';
import type { ClaimJson, WaterfallJson } from '../api-types.ts';
import { get } from '../api/client.ts';
import { useRequest } from '../api/use-request.ts';
import { ErrorNotice, Skeleton } from '../parts/notice.tsx';
import { counted } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';
import { durationText } from '../text/times.ts';
import { SPAN_NAME, type WaterfallLine, waterfallLayout } from './waterfall-layout.ts';

const LEGEND = ['claim', 'wait', 'run', 'settle', 'held'] as const;

/** How the latest attempt of a claim spent its time, beside the other records of its batch. */
export function Waterfall({ claim }: { readonly claim: ClaimJson }): JSX.Element {
  const { key, owner, state } = claim;
  const { answer, error, isLoading, again } = useRequest(JSON.stringify([key, owner, state]), (signal) =>
    get<WaterfallJson>('waterfall', { key }, signal),
  );
  return (
    <section class="panel" aria-labelledby="waterfall-title">
      <h2 id="waterfall-title">Latest attempt and its batch</h2>
      {answer === undefined && isLoading && <Skeleton lines={3} />}
      {error !== undefined && <ErrorNotice error={error} again={again} />}
      {answer !== undefined && <Drawn waterfall={answer} />}
    </section>
  );
}

function Drawn({ waterfall }: { readonly waterfall: WaterfallJson }): JSX.Element {
  const { batchMs, source, problem, rows } = waterfall;
  const { lines, totalMs, leftOut } = waterfallLayout(waterfall);
  const names = LEGEND.filter((what) => lines.some(({ bars }) => bars.some((bar) => bar.what === what)));
  const earlier = rows.find(({ isAsked }) => isAsked)?.spans.find(({ what }) => what === 'earlier');
  return (
    <>
      <p class="legend">
        {names.map((what) => (
          <span key={what} class="legend-item">
            <span class={`swatch span-${what}`} aria-hidden="true" />
            {SPAN_NAME[what]}
          </span>
        ))}
        <span class="legend-at muted">
          {durationText(totalMs)}
          {batchMs !== undefined && `, the batch took ${durationText(batchMs)}`}
        </span>
      </p>
      <table class="waterfall">
        <caption class="visually-hidden">The attempts of the batch</caption>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Record</th>
            <th scope="col">Times</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <Line key={`${line.row.keyHash} ${line.row.attempt}`} line={line} />
          ))}
        </tbody>
      </table>
      {leftOut > 0 && <p class="muted small">and {counted(leftOut, 'more record')}</p>}
      {earlier !== undefined && (
        <p class="muted small">
          The first attempt began {durationText(earlier.until - earlier.from)} before this one.
        </p>
      )}
      {source === 'claim' && (
        <p class="muted small">
          {problem === undefined
            ? 'No log line tells the parts of this attempt: this is what its claim says.'
            : `The log could not be read: ${shown(problem)}`}{' '}
          At <code>BATCHLATCH_LOG_LEVEL=debug</code> the log tells claim, wait and run apart.
        </p>
      )}
    </>
  );
}

function Line({ line: { row, bars, text } }: { readonly line: WaterfallLine }): JSX.Element {
  return (
    <tr class={row.isAsked ? 'is-asked' : undefined}>
      <th scope="row" class="mono small" title={shown(row.recordId)}>
        {row.isAsked ? 'this claim' : shown(row.keyHash)}
      </th>
      <td>
        <span class="waterfall-bars" aria-hidden="true">
          {bars.map(({ what, left, width, text: title }) => (
            <span
              key={what}
              class={`waterfall-bar span-${what}`}
              style={{ left: `${left}%`, width: `${width}%` }}
              title={title}
            />
          ))}
        </span>
        <span class="waterfall-text">{text}</span>
      </td>
    </tr>
  );
}
