import {
  type ClaimAdmin,
  type CompletedMessages,
  type KeyOfMessage,
  redriveDeadLetters,
  type RedriveOptions,
  type RedriveResult,
  type WhyLeft,
} from 'batchlatch/operations';
import { anInteger } from '../tool-base/check-options.ts';
import type { Clock } from '../tool-base/clock.ts';
import type { ActionLog, UnrecordedAction } from './action-log.ts';
import type { ActionJson, ChangesRequest } from './api.ts';
import { ApiError, messageOf } from './api-error.ts';
import { isoNow } from './changes.ts';
import type { Caller } from './caller.ts';
import type { DeadLetters } from './dead-letters.ts';
import { checkInput, INPUTS } from './inputs.ts';
import type { JobEnd, JobRun, Jobs } from './jobs.ts';
import { plannedMessages } from './planned-messages.ts';
import type { Plans } from './plans.ts';
import { startRecorded } from './recorded-job.ts';
import type { RedrivePlanJson, RedrivePlanRequest, RedriveResultJson } from './redrive-api.ts';

export interface RedrivesPorts {
  readonly letters: DeadLetters;
  readonly store: ClaimAdmin;
  readonly clock: Clock;
  readonly key: KeyOfMessage | undefined;
  readonly usesReceives: boolean;
  readonly jobs: Jobs;
  readonly actions: ActionLog;
  readonly plans: Plans<RedrivePlan>;
}

/** A planned redrive. */
export interface RedrivePlan {
  readonly queue: string;
  readonly which: 'all' | readonly string[];
  readonly completed: CompletedMessages;
  readonly asked: number;
}

/** The result of a redrive, and how many messages it left for each reason. */
interface Redriven extends RedriveResult {
  readonly leftBy: Readonly<Partial<Record<WhyLeft, number>>>;
}

/** Members checked against `INPUTS`. */
type Input = Readonly<Record<string, unknown>>;
type By = Pick<Caller, 'operator'>;

/** The redrives in two steps: a plan with its preview, then its execution. */
export class Redrives {
  readonly #ports: RedrivesPorts;

  constructor(ports: RedrivesPorts) {
    this.#ports = ports;
  }

  /** Plans a redrive, as a dry run. */
  async plan(input: Input, { operator }: By, signal: AbortSignal): Promise<RedrivePlanJson> {
    const { queue, which, completed = 'skip' } = input as unknown as RedrivePlanRequest;
    const { queueUrl } = this.#ports.letters.open(queue);
    const plan = { queue: queueUrl, which, completed };
    const { jobs, plans } = this.#ports;
    return jobs.plan(async (job) => {
      const result = await this.#redrive(plan, { operator, reason: 'planned only', dryRun: true }, job);
      if (result.ended === 'failed')
        throw result.error ?? new Error('The queue could not be read: try again');
      const { moved, released, deleted, leftBy, notFound, notSeen } = result;
      const asked = { which: plannedMessages(which, result), asked: moved + deleted };
      const { id, expiresAt } = plans.keep({ ...plan, ...asked });
      return { plan: id, moved, released, deleted, left: leftBy, notFound, notSeen, expiresAt };
    }, signal);
  }

  /** Carries out a plan. */
  redrive(input: Input, { operator }: By): { readonly job: string } {
    const { clock, plans } = this.#ports;
    const { plan: planId, reason } = input as unknown as ChangesRequest;
    const plan = plans.get(planId);
    if (plan.asked === 0)
      throw new ApiError(
        409,
        'nothing-to-do',
        'No message would be moved. Select messages whose claims may run.',
      );
    const { asked } = plan;
    const planned = { at: isoNow(clock), operator, what: 'redrive' as const, reason, asked };
    const started = startRecorded(this.#ports, 'redrive', planned, [], async (job, action) => {
      const result = await this.#redrive(plan, { operator, reason }, job);
      const { moved, deleted, left, ended } = result;
      const failed = ended === 'failed' ? Math.max(asked - moved - deleted - left, 0) : 0;
      return {
        end: endOf(result),
        action: { done: moved + deleted, refused: left, failed, ended },
        unrecorded: redriven(result, action),
      };
    });
    plans.drop(planId);
    return started;
  }

  async #redrive(
    { queue, which, completed }: Omit<RedrivePlan, 'asked'>,
    how: Pick<RedriveOptions, 'operator' | 'reason' | 'dryRun'>,
    job: JobRun,
  ): Promise<Redriven> {
    const { letters, store, clock, key, usesReceives } = this.#ports;
    const { sqs, queueUrl } = letters.open(queue);
    // The messages of a result are its first 1,000.
    const leftBy: Partial<Record<WhyLeft, number>> = {};
    const result = await redriveDeadLetters(sqs, {
      queueUrl,
      admin: store,
      which,
      completed,
      usesReceives,
      ...how,
      ...(key !== undefined && { key }),
      clock,
      signal: job.signal,
      onProgress({ message: { why } = {}, moved, left, total }) {
        if (why !== undefined) leftBy[why] = (leftBy[why] ?? 0) + 1;
        job.progress(moved + left, total);
      },
    });
    return { ...result, leftBy };
  }
}

/** Checks a plan that a page sends back. Throws an `ApiError` for anything else. */
export function redrivePlanIn({ asked, ...given }: Readonly<Record<string, unknown>>): RedrivePlan {
  checkInput('plan', given, INPUTS['POST /api/dead-letters/plan']);
  checkInput('plan', { asked }, { asked: anInteger(0) });
  const { queue, which, completed = 'skip' } = given as unknown as RedrivePlanRequest;
  return { queue, which, completed, asked: Number(asked) };
}

/** Returns an event for each key whose message was moved or deleted. */
function redriven(
  { messages }: RedriveResult,
  { at, operator, reason }: ActionJson,
): readonly UnrecordedAction[] {
  const gone = messages.filter(({ outcome }) => outcome !== 'left');
  const keys = new Set(gone.flatMap(({ claims }) => claims.map(({ key }) => key)));
  return [...keys].map((key) => ({ key, event: { kind: 'redriven', at, operator, reason } }));
}

function endOf(redriven: Redriven): JobEnd {
  const { ended, error, moved, released, deleted, leftBy, notFound } = redriven;
  const { undeleted, notSeen, stillHidden } = redriven;
  const result: RedriveResultJson = {
    moved,
    released,
    deleted,
    left: leftBy,
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
