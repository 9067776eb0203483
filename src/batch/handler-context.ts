import type { Context } from 'aws-lambda';
import { AttemptHandleOf } from '../attempts/commit.ts';
import { extendForHandler } from '../attempts/lease.ts';
import { ownAccessor, showsValues } from '../base/own-accessor.ts';
import { ATTEMPT } from '../claims/attempt-handle.ts';
import type { BatchAttempt, BatchContext } from './context.ts';
import type { RecordContext } from './record-handler.ts';

/**
 * The context of a handler. Its members are own properties, so copies keep them. Shared accessors create the
 * rarely used ones on demand: functions in each context would take 2.3 MB more for 10,000 running handlers.
 */
export class HandlerContext implements RecordContext {
  declare readonly signal: AbortSignal;
  declare readonly done: () => void;
  declare readonly leaseUntil: number;
  declare readonly extendLease: (leaseMs: number) => Promise<void>;
  readonly idempotencyKey: string;
  readonly attempt: number;
  readonly remainingTimeMs: () => number;
  readonly lambda: Context | undefined;
  readonly #attempt: BatchAttempt;

  constructor(attempt: BatchAttempt, { time, lambda }: BatchContext) {
    this.#attempt = attempt;
    this.idempotencyKey = attempt.key;
    this.attempt = attempt.attempt;
    this.remainingTimeMs = time.remainingTimeMs;
    this.lambda = lambda;
    // One by one: `Object.defineProperties` takes twice as long.
    Object.defineProperty(this, 'signal', HandlerContext.#SIGNAL);
    Object.defineProperty(this, 'done', HandlerContext.#DONE);
    Object.defineProperty(this, 'leaseUntil', HandlerContext.#LEASE_UNTIL);
    Object.defineProperty(this, 'extendLease', HandlerContext.#EXTEND_LEASE);
    Object.defineProperty(this, ATTEMPT, HandlerContext.#HANDLE);
  }

  static readonly #SIGNAL = ownAccessor<HandlerContext>({
    get() {
      return this.#attempt.stopping.signal;
    },
  });

  static readonly #DONE = ownAccessor<HandlerContext>({
    get() {
      const { stopping } = this.#attempt;
      return () => void (stopping.isDone = true);
    },
  });

  static readonly #LEASE_UNTIL = ownAccessor<HandlerContext>({
    get() {
      return this.#attempt.leaseUntil;
    },
  });

  static readonly #EXTEND_LEASE = ownAccessor<HandlerContext>({
    get() {
      return (leaseMs: number) => extendForHandler(this.#attempt, leaseMs);
    },
  });

  static readonly #HANDLE = ownAccessor<HandlerContext>({
    get() {
      return new AttemptHandleOf(this.#attempt);
    },
  });
}

showsValues(HandlerContext);
