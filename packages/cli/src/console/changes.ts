import type { ClaimAdmin, SeenClaim } from 'batchlatch/operations';
import type { Clock } from '../tool-base/clock.ts';
import type { ActionJson, ChangesRequest, PlanJson, PlanRequest } from './api.ts';
import type { ActionLog, UnrecordedAction } from './action-log.ts';
import { ApiError, badRequest } from './api-error.ts';
import { changeAll } from './change-job.ts';
import { type ChangePlan, chosenOf, findChosen, findMatching, planOf } from './change-plan.ts';
import type { Caller } from './caller.ts';
import { filterOf } from './claim-filter.ts';
import type { Jobs } from './jobs.ts';
import type { Plans } from './plans.ts';
import { startRecorded, sumOf } from './recorded-job.ts';

export interface ChangesPorts {
  readonly store: ClaimAdmin;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly actions: ActionLog;
  readonly plans: Plans<ChangePlan>;
  /** The most claims of a plan. */
  readonly mostPlanned: number;
}

/** Members checked against `INPUTS`. */
type Input = Readonly<Record<string, unknown>>;

/** The changes of claims in two steps: a plan with its preview, then its execution. */
export class Changes {
  readonly #ports: ChangesPorts;

  constructor(ports: ChangesPorts) {
    this.#ports = ports;
  }

  /** Plans a change. It runs as a job, which stops when `signal` is aborted. */
  async plan(input: Input, signal: AbortSignal): Promise<PlanJson> {
    const { operation, force = false, filter, claims } = input as unknown as PlanRequest;
    if ((filter === undefined) === (claims === undefined)) {
      throw badRequest('POST /api/plan: Expected either `filter` or `claims`.');
    }
    const chosen = claims === undefined ? undefined : chosenOf(claims);
    const asked = filter === undefined ? undefined : filterOf(filter);
    const { store, clock, jobs, plans, mostPlanned } = this.#ports;
    const now = (): number => clock.now();
    const how = { operation, force };
    return jobs.plan(async (job) => {
      const reading = {
        store,
        now,
        mostPlanned,
        signal: job.signal,
        onProgress: (done: number) => job.progress(done),
      };
      const found = await (asked === undefined
        ? findChosen(chosen ?? [], reading)
        : findMatching(asked, reading));
      const { plan, shown } = planOf(how, found, now());
      const { id, expiresAt } = plans.keep(plan);
      return { plan: id, ...shown, expiresAt };
    }, signal);
  }

  /** Carries out a plan. */
  change(input: Input, { operator }: Pick<Caller, 'operator'>): { readonly job: string } {
    const { store, clock, plans } = this.#ports;
    const { plan: planId, reason, result, confirmed } = input as unknown as ChangesRequest;
    const plan = plans.get(planId);
    const { operation, force, claims } = plan;
    if (result !== undefined && operation !== 'resolve')
      throw badRequest('`result` is only for `resolve`. Leave it out.');
    if (operation === 'forget' && confirmed !== true) {
      throw badRequest('`forget` deletes the rows of claims: confirm it with `confirmed: true`.');
    }
    if (claims.length === 0)
      throw new ApiError(409, 'nothing-to-do', 'No claim would be changed. Select claims that this changes.');
    const change = { operation, operator, reason, force, ...(result !== undefined && { result }) };
    const planned = { at: isoNow(clock), operator, what: operation, reason, asked: claims.length };
    const started = startRecorded(this.#ports, 'change', planned, claims, async (job, action) => {
      const { end, changed } = await changeAll(store, claims, change, { job, now: () => clock.now() });
      const { done, refused, failed, notSent } = end.result;
      return {
        end,
        action: { done, refused: sumOf(refused), failed, ended: notSent > 0 ? 'aborted' : 'whole' },
        unrecorded: operation === 'forget' ? changed.map((claim) => forgotten(claim, action)) : [],
      };
    });
    plans.drop(planId);
    return started;
  }
}

/** Returns the event of a forgotten claim, whose row is gone with its history. */
function forgotten(
  { key, status, owner, attempt }: SeenClaim,
  { at, operator, reason }: ActionJson,
): UnrecordedAction {
  const from = { status, owner, attempt };
  return { key, event: { kind: 'changed', operation: 'forget', at, operator, reason, from } };
}

export function isoNow(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
