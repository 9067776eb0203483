import type { JSX } from 'preact';
import type { StatisticsJson } from '../../api-types.ts';
import { Histogram } from '../../plots/histogram.tsx';

/** How the waiting and running times of completed claims lie. */
export function Histograms({
  statistics,
}: {
  readonly statistics: StatisticsJson | undefined;
}): JSX.Element | null {
  const { waitingMs, runningMs } = statistics ?? {};
  if (waitingMs === undefined && runningMs === undefined) return null;
  return (
    <section class="panel" aria-labelledby="histograms-title">
      <h2 id="histograms-title">How long completed claims waited and ran</h2>
      <div class="histograms">
        {waitingMs && <Histogram name="Waiting" color="--in-progress" histogram={waitingMs} />}
        {runningMs && <Histogram name="Running" color="--completed" histogram={runningMs} />}
      </div>
    </section>
  );
}
