import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Distribution, StatisticsPeriod, StatisticsJson } from '../api-types.ts';
import { durationText, localTime, shortDuration } from '../text/times.ts';
import { Legend } from './legend.tsx';
import { PeriodsTable } from './periods-table.tsx';
import { Plot, type PlotSeries } from './plot.tsx';
import { goToPeriod } from './period-href.ts';
import { times, wholeSpan } from './series.ts';

const SERIES: readonly PlotSeries[] = [
  { name: 'Waiting, median', color: '--in-progress' },
  { name: 'Waiting, 95%', color: '--in-progress', isDashed: true },
  { name: 'Running, median', color: '--completed' },
  { name: 'Running, 95%', color: '--completed', isDashed: true },
];

/** How long claims that were completed had waited and run, over time. */
export function TimesPlot({ statistics }: { readonly statistics: StatisticsJson }): JSX.Element {
  const { periodMs, asOf, waitingMs, runningMs } = statistics;
  const periods = useMemo(
    () => wholeSpan(statistics.periods, periodMs, Date.parse(asOf)),
    [statistics.periods, periodMs, asOf],
  );
  const columns = useMemo(() => times(periods), [periods]);
  const [point, setPoint] = useState<number>();
  const period = point === undefined ? undefined : periods[point];
  const shownTimes: Pick<StatisticsPeriod, 'waitingMs' | 'runningMs'> = period ?? {
    ...(waitingMs && { waitingMs }),
    ...(runningMs && { runningMs }),
  };
  return (
    <>
      <Legend
        series={SERIES}
        values={textsOf(shownTimes)}
        kind="lines"
        at={period === undefined ? 'all that were read, logarithmic' : localTime(period.from)}
      />
      <Plot
        series={SERIES}
        columns={columns}
        kind="log-lines"
        valueText={shortDuration}
        onPoint={setPoint}
        onChoose={(index) => goToPeriod(periods[index], periodMs)}
      />
      <PeriodsTable
        caption="How long claims waited and ran"
        periods={statistics.periods}
        periodMs={periodMs}
        columns={SERIES.map(({ name }, index) => ({ name, text: (one) => textsOf(one)[index] ?? '' }))}
      />
    </>
  );
}

function textsOf({
  waitingMs,
  runningMs,
}: Pick<StatisticsPeriod, 'waitingMs' | 'runningMs'>): readonly string[] {
  return [...texts(waitingMs), ...texts(runningMs)];
}

function texts(distribution: Distribution | undefined): readonly string[] {
  if (distribution === undefined) return ['–', '–'];
  return [durationText(distribution.median), durationText(distribution.p95)];
}
