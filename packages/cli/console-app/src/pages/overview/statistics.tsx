import type { JSX } from 'preact';
import type { JobJson, StatisticsJson } from '../../api-types.ts';
import { Ago } from '../../parts/age.tsx';
import { Notice } from '../../parts/notice.tsx';
import { OutcomesPlot } from '../../plots/outcomes-plot.tsx';
import { TimesPlot } from '../../plots/times-plot.tsx';
import { counted } from '../../text/numbers.ts';
import { readText } from '../../text/words.ts';
import { ReadAllButton } from './read-all-button.tsx';

/** How claims ended, and how long they waited and ran. */
export function Statistics({
  statistics,
  readsBySelf,
  estimatedRows,
  jobs,
}: {
  readonly statistics: StatisticsJson | undefined;
  readonly readsBySelf: boolean;
  readonly estimatedRows: number | undefined;
  readonly jobs: readonly JobJson[];
}): JSX.Element {
  const read = (text: string): JSX.Element => (
    <ReadAllButton text={text} estimatedRows={estimatedRows} jobs={jobs} />
  );
  if (statistics === undefined) {
    return (
      <section class="panel" aria-labelledby="outcomes-title">
        <h2 id="outcomes-title">Outcomes and times</h2>
        <Notice title={readsBySelf ? 'Nothing has been read yet.' : 'This needs a read of all claims.'}>
          <p>How claims ended, and how long they waited and ran, is in the claims themselves.</p>
          <p>{read('Read all claims')}</p>
        </Notice>
      </section>
    );
  }
  return (
    <>
      <section class="panel" aria-labelledby="outcomes-title">
        <h2 id="outcomes-title">Outcomes</h2>
        <OutcomesPlot statistics={statistics} />
        {!readsBySelf && (
          <p class="as-of">
            Read <Ago at={statistics.asOf} />. {readText(statistics)} {read('Read again')}
          </p>
        )}
        {!statistics.isWhole && <p class="warning">Not every row was read: these are of those that were.</p>}
      </section>
      <section class="panel" aria-labelledby="times-title">
        <h2 id="times-title">Waiting and running times</h2>
        <TimesPlot statistics={statistics} />
        {statistics.negativeTimes > 0 && (
          <p class="muted small">
            {counted(statistics.negativeTimes, 'claim')} ended before the start, as clocks differ, and{' '}
            {statistics.negativeTimes === 1 ? 'counts' : 'count'} as 0.
          </p>
        )}
      </section>
    </>
  );
}
