import {
  type ClaimAdmin,
  type CompletedMessages,
  type KeyOfMessage,
  redriveDeadLetters,
  type RedriveOptions,
  type RedriveResult,
  type WhyLeft,
} from 'batchlatch/operations';
import type { Clock } from '../tool-base/clock.ts';
import type { ActionLog } from './action-log.ts';
import type { ActionJson, ChangesRequest } from './api.ts';
import { ApiError, messageOf } from './api-error.ts';
import { isoNow } from './changes.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { JobEnd, JobRun, Jobs } from './jobs.ts';
import { KeptPlans } from './kept-plans.ts';
import type { RedrivePlanJson, RedrivePlanRequest, RedriveResultJson } from './redrive-api.ts';

export interface RedrivesPorts {
  readonly letters: DeadLetters;
  readonly store: ClaimAdmin;
  readonly clock: Clock;
  readonly key: KeyOfMessage | undefined;
  readonly usesReceives: boolean;
  readonly operator: string;
  readonly jobs: Jobs;
  readonly actions: ActionLog;
}

interface RedrivePlan {
  readonly queue: string;
  readonly which: 'all' | readonly string[];
  readonly completed: CompletedMessages;
  readonly asked: number;
}

/** Members checked against `INPUTS`. */
type Input = Readonly<Record<string, unknown>>;

/** The redrives in two steps: a plan with its preview, then its execution. */
export class Redrives {
  readonly #ports: RedrivesPorts;
  readonly #plans: KeptPlans<RedrivePlan>;

  constructor(ports: RedrivesPorts) {
    this.#ports = ports;
    this.#plans = new KeptPlans(ports.clock);
  }

  /** Plans a redrive, as a dry run. */
  async plan(input: Input, signal: AbortSignal): Promise<RedrivePlanJson> {
    const { queue, which, completed = 'skip' } = input as unknown as RedrivePlanRequest;
    const { queueUrl } = this.#ports.letters.open(queue);
    const plan = { queue: queueUrl, which, completed };
    const { jobs } = this.#ports;
    return new Promise((resolve, reject) => {
      const { id } = jobs.start('plan', async (job) => {
        try {
          const result = await this.#redrive(plan, { reason: 'planned only', dryRun: true }, job);
          if (result.ended === 'failed') throw result.error ?? new Error('The queue could not be read');
          const { moved, released, deleted } = result;
          const kept = this.#plans.keep({ ...plan, asked: moved + deleted });
          const { notFound, notSeen } = result;
          const left = leftOf(result);
          const { id: planId, expiresAt } = kept;
          resolve({ plan: planId, moved, released, deleted, left, notFound, notSeen, expiresAt });
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
  redrive(input: Input): { readonly job: string } {
    const { plan: planId, reason } = input as unknown as ChangesRequest;
    const plan = this.#plans.get(planId);
    if (plan.asked === 0) throw new ApiError(409, 'nothing-to-do', 'No message would be moved.');
    const { clock, jobs, operator, actions } = this.#ports;
    const { asked } = plan;
    const common = { at: isoNow(clock), operator, what: 'redrive' as const, reason, asked };
    const { id } = jobs.start(
      'redrive',
      async (job) => {
        const started: ActionJson = { ...common, done: 0, refused: 0, failed: 0, job: job.id };
        actions.put(started);
        try {
          const result = await this.#redrive(plan, { reason }, job);
          const { moved, deleted, left, ended } = result;
          const failed = ended === 'failed' ? Math.max(asked - moved - deleted - left, 0) : 0;
          actions.put({ ...started, done: moved + deleted, refused: left, failed, ended });
          return endOf(result);
        } catch (error) {
          actions.put({ ...started, ended: 'failed' });
          throw error;
        }
      },
      asked,
    );
    this.#plans.drop(planId);
    return { job: id };
  }

  async #redrive(
    { queue, which, completed }: Omit<RedrivePlan, 'asked'>,
    how: Pick<RedriveOptions, 'reason' | 'dryRun'>,
    job: JobRun,
  ): Promise<RedriveResult> {
    const { letters, store, clock, key, operator, usesReceives } = this.#ports;
    const { sqs, queueUrl } = letters.open(queue);
    return redriveDeadLetters(sqs, {
      queueUrl,
      admin: store,
      which,
      completed,
      operator,
      usesReceives,
      ...how,
      ...(key !== undefined && { key }),
      clock,
      signal: job.signal,
      onProgress: ({ moved, left, total }) => job.progress(moved + left, total),
    });
  }
}

function leftOf({ messages }: RedriveResult): Partial<Record<WhyLeft, number>> {
  const left: Partial<Record<WhyLeft, number>> = {};
  for (const { why } of messages) if (why !== undefined) left[why] = (left[why] ?? 0) + 1;
  return left;
}

function endOf(redriven: RedriveResult): JobEnd {
  const { ended, error, moved, released, deleted, notFound, undeleted, notSeen, stillHidden } = redriven;
  const result: RedriveResultJson = {
    moved,
    released,
    deleted,
    left: leftOf(redriven),
    notFound,
    undeleted: undeleted.length,
    notSeen,
    stillHidden,
  };
  return {
    ...(ended !== 'whole' && { ended }),
    ...(error !== undefined && { error: messageOf(error) }),
    result,
  };
}
