import type { ClaimAdmin } from 'batchlatch/operations';
import type { Clock } from '../tool-base/clock.ts';
import type { ActionJson, ChangesRequest, PlanJson, PlanRequest } from './api.ts';
import type { ActionLog } from './action-log.ts';
import { ApiError, badRequest } from './api-error.ts';
import { changeAll } from './change-job.ts';
import { type ChangePlan, chosenOf, findChosen, findMatching, planOf } from './change-plan.ts';
import { filterOf } from './claim-filter.ts';
import type { Jobs } from './jobs.ts';
import { KeptPlans } from './kept-plans.ts';

export interface ChangesPorts {
  readonly store: ClaimAdmin;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly actions: ActionLog;
  readonly operator: string;
}

/** Members checked against `INPUTS`. */
type Input = Readonly<Record<string, unknown>>;

/** The changes of claims in two steps: a plan with its preview, then its execution. */
export class Changes {
  readonly #ports: ChangesPorts;
  readonly #plans: KeptPlans<ChangePlan>;

  constructor(ports: ChangesPorts) {
    this.#ports = ports;
    this.#plans = new KeptPlans(ports.clock);
  }

  /** Plans a change. It runs as a job, which stops when `signal` is aborted. */
  async plan(input: Input, signal: AbortSignal): Promise<PlanJson> {
    const { operation, force = false, filter, claims } = input as unknown as PlanRequest;
    if ((filter === undefined) === (claims === undefined)) {
      throw badRequest('POST /api/plan: Expected either `filter` or `claims`.');
    }
    const chosen = claims === undefined ? undefined : chosenOf(claims);
    const asked = filter === undefined ? undefined : filterOf(filter);
    const { store, clock, jobs } = this.#ports;
    const now = (): number => clock.now();
    const how = { operation, force };
    return new Promise<PlanJson>((resolve, reject) => {
      const { id } = jobs.start('plan', async (job) => {
        try {
          const reading = {
            store,
            now,
            signal: job.signal,
            onProgress: (done: number) => job.progress(done),
          };
          const found = await (asked === undefined
            ? findChosen(chosen ?? [], reading)
            : findMatching(asked, reading));
          const { plan, shown } = planOf(how, found, now());
          const { id: planId, expiresAt } = this.#plans.keep(plan);
          resolve({ plan: planId, ...shown, expiresAt });
          return {};
        } catch (error) {
          reject(error);
          throw error;
        }
      });
      signal.addEventListener('abort', () => jobs.stop(id), { once: true });
    });
  }

  /** Carries out a plan, once. */
  change(input: Input): { readonly job: string } {
    const { plan: planId, reason, result, confirmed } = input as unknown as ChangesRequest;
    const plan = this.#plans.get(planId);
    const { operation, force, claims } = plan;
    if (result !== undefined && operation !== 'resolve')
      throw badRequest('`result` is only for `resolve`. Leave it out.');
    if (operation === 'forget' && confirmed !== true) {
      throw badRequest('`forget` deletes the rows of claims: confirm it with `confirmed: true`.');
    }
    if (claims.length === 0) throw new ApiError(409, 'nothing-to-do', 'No claim would be changed.');
    const { store, clock, jobs, operator, actions } = this.#ports;
    const change = { operation, operator, reason, force, ...(result !== undefined && { result }) };
    const common = { at: isoNow(clock), operator, what: operation, reason, asked: claims.length };
    const { id } = jobs.start(
      'change',
      async (job) => {
        const started: ActionJson = { ...common, done: 0, refused: 0, failed: 0, job: job.id };
        actions.put(started);
        try {
          const end = await changeAll(store, claims, change, { job, now: () => clock.now() });
          const { done, refused, failed, notSent } = end.result;
          const sum = Object.values(refused).reduce((one, other) => one + other, 0);
          actions.put({ ...started, done, refused: sum, failed, ended: notSent > 0 ? 'aborted' : 'whole' });
          return end;
        } catch (error) {
          actions.put({ ...started, ended: 'failed' });
          throw error;
        }
      },
      claims.length,
    );
    this.#plans.drop(planId);
    return { job: id };
  }
}

export function isoNow(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
