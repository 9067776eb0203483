import type { SeenClaim } from 'batchlatch/operations';
import type { SeenRow } from '../outbox-rows/change-rows.ts';
import type { ActionLog, UnrecordedAction } from './action-log.ts';
import type { ActionJson } from './api.ts';
import type { JobEnd, JobRun, Jobs } from './jobs.ts';

/** An action before it starts. */
export type PlannedAction = Pick<ActionJson, 'at' | 'operator' | 'what' | 'reason' | 'asked'>;

/** How an action ended, for its job and for the log of actions. */
export interface RecordedEnd {
  readonly end: JobEnd;
  readonly action: Pick<ActionJson, 'done' | 'refused' | 'failed' | 'ended'>;
  readonly unrecorded?: readonly UnrecordedAction[];
}

/** Starts a job that the log of actions records before it changes anything, and when it ends. */
export function startRecorded(
  { jobs, actions }: { readonly jobs: Jobs; readonly actions: ActionLog },
  what: Parameters<Jobs['start']>[0],
  planned: PlannedAction,
  seen: readonly (SeenClaim | SeenRow)[],
  run: (job: JobRun, started: ActionJson) => Promise<RecordedEnd>,
): { readonly job: string } {
  const { id } = jobs.start(
    what,
    async (job) => {
      const started: ActionJson = { ...planned, done: 0, refused: 0, failed: 0, job: job.id };
      await actions.begin(started, seen);
      try {
        const { end, action, unrecorded } = await run(job, started);
        await actions.end({ ...started, ...action }, unrecorded);
        return end;
      } catch (error) {
        await actions.end({ ...started, ended: 'failed' });
        throw error;
      }
    },
    planned.asked,
  );
  return { job: id };
}

/** Returns the number of refused changes. */
export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
