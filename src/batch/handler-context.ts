import type { Context } from 'aws-lambda';
import { AttemptHandleOf } from '../attempts/commit.ts';
import { extendForHandler } from '../attempts/lease.ts';
import { ownAccessor } from '../base/own-accessor.ts';
import { ATTEMPT, type AttemptHandle } from '../claims/attempt-handle.ts';
import type { BatchAttempt, BatchContext } from './context.ts';
import type { RecordContext } from './record-handler.ts';

/**
 * What a handler sees of its attempt. All of it is an own member, so that a copy has it too. The signal is made when it is first
 * looked at, which most handlers never do.
 */
export class HandlerContext implements RecordContext {
  declare readonly signal: AbortSignal;
  // Not assigned in the constructor: V8 puts a function of an assignment to a member into its old generation (decision 0049).
  readonly done = (): void => this.#attempt.noteDone();
  readonly idempotencyKey: string;
  readonly attempt: number;
  leaseUntil: number;
  readonly extendLease = (leaseMs: number): Promise<void> => extendForHandler(this.#attempt, leaseMs);
  readonly remainingTimeMs: () => number;
  readonly lambda: Context | undefined;
  readonly #attempt: BatchAttempt;

  constructor(attempt: BatchAttempt, { time, lambda }: BatchContext) {
    this.#attempt = attempt;
    Object.defineProperty(this, 'signal', HandlerContext.#SIGNAL);
    this.idempotencyKey = attempt.key;
    this.attempt = attempt.attempt;
    this.leaseUntil = attempt.leaseUntil;
    attempt.shownTo = this;
    this.remainingTimeMs = time.remainingTimeMs;
    this.lambda = lambda;
    (this as { [ATTEMPT]?: AttemptHandle })[ATTEMPT] = new AttemptHandleOf(attempt);
  }

  static readonly #SIGNAL = ownAccessor<HandlerContext>({
    get() {
      return this.#attempt.signal;
    },
  });
}
