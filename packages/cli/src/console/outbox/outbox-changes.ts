import type { OutboxAdmin } from 'batchlatch/outbox';
import {
  changeRows,
  type RowChange,
  type RowOperation,
  type SeenRow,
} from '../../outbox-rows/change-rows.ts';
import { findRows, readRows } from '../../outbox-rows/read-rows.ts';
import type { Clock } from '../../tool-base/clock.ts';
import type { ActionLog } from '../action-log.ts';
import type { ChangesRequest } from '../api.ts';
import { ApiError, badRequest, messageOf } from '../api-error.ts';
import type { Caller } from '../caller.ts';
import { isoNow } from '../changes.ts';
import type { JobEnd, JobRun, Jobs } from '../jobs.ts';
import type { Plans } from '../plans.ts';
import { startRecorded, sumOf } from '../recorded-job.ts';
import type { RowsPlanJson, RowsPlanRequest, RowsResult } from './outbox-api.ts';
import {
  chosenRows,
  noneRefused,
  type PlannedRow,
  type RowsPlan,
  rowsPlanOf,
  seenRow,
} from './outbox-plan.ts';
import { outboxOf, queryOf, type ShownOutbox } from './outbox-reads.ts';

export interface OutboxChangesPorts {
  readonly outbox: ShownOutbox | undefined;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly actions: ActionLog;
  readonly plans: Plans<RowsPlan>;
  /** The most rows of a plan. */
  readonly mostPlanned: number;
}

const MOST_TOLD = 100;

/** Members checked against `INPUTS`. */
type Input = Readonly<Record<string, unknown>>;

/** The changes of an outbox's rows in two steps: a plan with its preview, then its execution. */
export class OutboxChanges {
  readonly #ports: OutboxChangesPorts;

  constructor(ports: OutboxChangesPorts) {
    this.#ports = ports;
  }

  /** Plans a change. It runs as a job, which stops when `signal` is aborted. */
  async plan(input: Input, signal: AbortSignal): Promise<RowsPlanJson> {
    const request = input as unknown as RowsPlanRequest;
    const { operation, rows, filter } = request;
    if ((filter === undefined) === (rows === undefined)) {
      throw badRequest('POST /api/outbox/plan: Expected either `filter` or `rows`.');
    }
    const chosen = rows === undefined ? undefined : chosenRows(rows);
    const { outbox, jobs, plans, mostPlanned } = this.#ports;
    const { admin } = outboxOf(outbox);
    return jobs.plan(async (job) => {
      const found =
        chosen === undefined
          ? await matchingRows(admin, filter ?? {}, mostPlanned, job)
          : { rows: await rowsAsFound(admin, chosen, job), isWhole: true };
      const { plan, shown } = rowsPlanOf(operation, found.rows, found.isWhole);
      const { id, expiresAt } = plans.keep(plan);
      return { plan: id, ...shown, expiresAt };
    }, signal);
  }

  /** Carries out a plan. */
  change(input: Input, { operator }: Pick<Caller, 'operator'>): { readonly job: string } {
    const { outbox, clock, plans } = this.#ports;
    const { admin } = outboxOf(outbox);
    const { plan: planId, reason } = input as unknown as ChangesRequest;
    const { operation, rows } = plans.get(planId);
    if (rows.length === 0)
      throw new ApiError(409, 'nothing-to-do', 'No row would be changed. Select rows that this changes.');
    const what = ROW_ACTION[operation];
    const planned = { at: isoNow(clock), operator, what, reason, asked: rows.length };
    const started = startRecorded(this.#ports, 'outbox', planned, rows, async (job) => {
      const end = await changed(admin, rows, { operation, operator, reason }, job);
      const { done, refused, failed, notSent } = end.result;
      const ended = notSent > 0 ? 'aborted' : 'whole';
      return { end, action: { done, refused: sumOf(refused), failed, ended } };
    });
    plans.drop(planId);
    return started;
  }
}

/** The names of the operations in the log of actions, where claims are released too. */
const ROW_ACTION = { release: 'release-row', drop: 'drop-row' } as const;

async function matchingRows(
  admin: OutboxAdmin,
  filter: Input,
  mostPlanned: number,
  job: JobRun,
): Promise<{ readonly rows: readonly PlannedRow[]; readonly isWhole: boolean }> {
  const onProgress = (done: number): void => job.progress(done);
  const { rows, next } = await readRows(admin, queryOf(filter), mostPlanned, {
    signal: job.signal,
    onProgress,
  });
  return { rows: rows.map((found) => ({ seen: seenRow(found), found })), isWhole: next === undefined };
}

async function rowsAsFound(
  admin: OutboxAdmin,
  chosen: readonly SeenRow[],
  { signal }: JobRun,
): Promise<readonly PlannedRow[]> {
  const found = await findRows(
    admin,
    chosen.map(({ outboxId }) => outboxId),
    { signal },
  );
  return chosen.map((seen) => ({ seen, found: found.get(seen.outboxId) }));
}

/** Changes rows. A stop waits for the rows already sent. */
async function changed(
  admin: OutboxAdmin,
  rows: readonly SeenRow[],
  how: RowOperation,
  job: JobRun,
): Promise<JobEnd & { readonly result: RowsResult }> {
  const { signal } = job;
  const onProgress = (sent: number): void => job.progress(sent, rows.length);
  const changes = await changeRows(admin, rows, how, { signal, onProgress });
  const refused = noneRefused();
  let failed = 0;
  for (const { outcome } of changes) {
    if (outcome.status === 'refused') refused[outcome.why] += 1;
    else if (outcome.status === 'error') failed += 1;
  }
  const notDone = changes.filter(({ outcome }) => outcome.status !== 'done');
  const notSent = rows.length - changes.length;
  const result = {
    done: changes.length - notDone.length,
    refused,
    failed,
    notSent,
    notChanged: notDone.slice(0, MOST_TOLD).flatMap(told),
  };
  return { ...(notSent > 0 && { ended: 'aborted' as const }), result };
}

function told({ outboxId, outcome }: RowChange): RowsResult['notChanged'] {
  if (outcome.status === 'done') return [];
  if (outcome.status === 'refused') return [{ outboxId, why: outcome.why }];
  return [{ outboxId, why: 'failed', error: messageOf(outcome.error) }];
}
