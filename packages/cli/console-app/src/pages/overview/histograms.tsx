import type { JSX } from 'preact';
import type { StatisticsJson } from '../../api-types.ts';
import { listHref } from '../../filters/claim-filter.ts';
import { Histogram } from '../../plots/histogram.tsx';

/** How the times of completed claims and the ages of others lie. Each row leads to the claims from there up. */
export function Histograms({
  statistics,
}: {
  readonly statistics: StatisticsJson | undefined;
}): JSX.Element | null {
  const { waitingMs, runningMs, ageMs } = statistics ?? {};
  if (waitingMs === undefined && runningMs === undefined && ageMs === undefined) return null;
  return (
    <section class="panel" aria-labelledby="histograms-title">
      <h2 id="histograms-title">How long claims waited, ran and are open</h2>
      <div class="histograms">
        {waitingMs && (
          <Histogram
            name="Waiting"
            color="--in-progress"
            histogram={waitingMs}
            hrefFrom={(ms) => listHref('completed', { waitedMs: String(ms) })}
          />
        )}
        {runningMs && (
          <Histogram
            name="Running"
            color="--completed"
            histogram={runningMs}
            hrefFrom={(ms) => listHref('completed', { ranMs: String(ms) })}
          />
        )}
        {ageMs && (
          <Histogram
            name="Age, not completed"
            color="--overdue"
            histogram={ageMs}
            hrefFrom={(ms) => listHref(undefined, { ageMs: String(ms) })}
          />
        )}
      </div>
    </section>
  );
}
