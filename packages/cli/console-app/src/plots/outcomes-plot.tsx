import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { StatisticsPeriod, StatisticsJson } from '../api-types.ts';
import { numberText, shortNumber } from '../text/numbers.ts';
import { durationText, localTime } from '../text/times.ts';
import { Legend } from './legend.tsx';
import { Plot, type PlotSeries } from './plot.tsx';
import { PeriodsTable } from './periods-table.tsx';
import { goToPeriod } from './period-href.ts';
import { coarser, stackedOutcomes, wholeSpan } from './series.ts';

const SERIES: readonly PlotSeries[] = [
  { name: 'Completed', color: '--completed' },
  { name: 'Failed', color: '--failed' },
  { name: 'Parked', color: '--parked' },
];

/** How many claims ended how, over time. */
export function OutcomesPlot({ statistics }: { readonly statistics: StatisticsJson }): JSX.Element {
  const { asOf } = statistics;
  const { periods, periodMs } = useMemo(
    () => coarser(wholeSpan(statistics.periods, statistics.periodMs, Date.parse(asOf)), statistics.periodMs),
    [statistics.periods, statistics.periodMs, asOf],
  );
  const columns = useMemo(() => stackedOutcomes(periods), [periods]);
  const [point, setPoint] = useState<number>();
  const shownPeriod = point === undefined ? undefined : periods[point];
  const { completed, failed, parked } = shownPeriod ?? sumOf(periods);
  const at =
    shownPeriod === undefined
      ? `last ${durationText(periods.length * periodMs)}, by ${durationText(periodMs)}`
      : `${localTime(shownPeriod.from)}, ${durationText(periodMs)}`;
  return (
    <>
      <Legend series={SERIES} values={[completed, failed, parked].map(numberText)} kind="bars" at={at} />
      <Plot
        series={SERIES}
        columns={columns}
        kind="bars"
        valueText={shortNumber}
        onPoint={setPoint}
        onChoose={(index) => goToPeriod(periods[index], periodMs)}
      />
      <PeriodsTable
        caption="How many claims ended how"
        periods={periods}
        periodMs={periodMs}
        columns={[
          { name: 'Completed', text: (period) => numberText(period.completed) },
          { name: 'Failed', text: (period) => numberText(period.failed) },
          { name: 'Parked', text: (period) => numberText(period.parked) },
        ]}
      />
    </>
  );
}

function sumOf(
  periods: readonly StatisticsPeriod[],
): Pick<StatisticsPeriod, 'completed' | 'failed' | 'parked'> {
  const sum = (name: 'completed' | 'failed' | 'parked'): number =>
    periods.reduce((all, period) => all + period[name], 0);
  return { completed: sum('completed'), failed: sum('failed'), parked: sum('parked') };
}
