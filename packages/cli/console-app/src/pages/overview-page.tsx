import type { JSX } from 'preact';
import { connection, overview } from '../api/live.ts';
import { session } from '../api/session.ts';
import { Skeleton } from '../parts/notice.tsx';
import { useStore } from '../state/store.ts';
import { shown } from '../text/shown.ts';
import { localTime } from '../text/times.ts';
import { Attention } from './overview/attention.tsx';
import { Counters } from './overview/counters.tsx';
import { Errors } from './overview/errors.tsx';
import { Histograms } from './overview/histograms.tsx';
import { Holders } from './overview/holders.tsx';
import { OverdueList } from './overview/overdue-list.tsx';
import { Queues } from './overview/queues.tsx';
import { Statistics } from './overview/statistics.tsx';

/** How everything stands, live. */
export function OverviewPage(): JSX.Element {
  const told = useStore(overview);
  const known = useStore(session);
  const isLive = useStore(connection) === 'live';
  if (told === undefined) return <Loading />;
  return (
    <>
      <h1 class="visually-hidden">Overview</h1>
      {!isLive && (
        <p class="stale" role="status">
          This is how it was at {localTime(told.at)}.
        </p>
      )}
      {told.storeError !== undefined && (
        <p class="warning" role="alert">
          The store could not be read: {shown(told.storeError)} The console tries again by itself.
        </p>
      )}
      <Attention told={told} allowChanges={known?.allowChanges ?? false} />
      <Counters counts={told.counts} estimatedRows={known?.estimatedRows} jobs={told.jobs} />
      <div class="columns">
        <Statistics
          statistics={told.statistics}
          readsBySelf={known?.readsBySelf ?? false}
          estimatedRows={known?.estimatedRows}
          jobs={told.jobs}
        />
      </div>
      <Errors statistics={told.statistics} />
      <div class="columns">
        <OverdueList overdue={told.overdue} count={told.counts.overdue} />
        <div class="stack">
          <Queues queues={told.queues} canSend={known?.canSend ?? false} />
          <Holders
            holders={told.holders}
            isKnown={told.counts['in-progress'].kind !== 'unknown'}
            isWhole={told.holdersAreWhole}
          />
        </div>
      </div>
      <Histograms statistics={told.statistics} />
    </>
  );
}

function Loading(): JSX.Element {
  return (
    <>
      <h1 class="visually-hidden">Overview</h1>
      <Skeleton lines={8} />
    </>
  );
}
