import type { Context } from 'aws-lambda';
import { handleOf } from '../attempts/handle-of.ts';
import type { HandlerRun } from '../attempts/handler-run.ts';
import { ATTEMPT, type AttemptHandle } from '../claims/attempt-handle.ts';
import { ownAccessor } from '../base/own-accessor.ts';
import type { RecordContext } from './record-handler.ts';
import type { Runnable } from './runnable.ts';
import type { BatchScope } from './scope.ts';

/** What the handler sees of its run. */
export function handlerContext(run: HandlerRun, runnable: Runnable, scope: BatchScope): RecordContext {
  return new HandlerContext(run, runnable, scope);
}

/**
 * All that a handler sees is an own member, so that a copy has it too. The signal is made when it is first looked at, which most
 * handlers never do.
 */
class HandlerContext implements RecordContext {
  declare readonly signal: AbortSignal;
  declare readonly done: () => void;
  declare readonly idempotencyKey: string;
  declare readonly attempt: number;
  declare leaseUntil: number;
  declare readonly extendLease: (leaseMs: number) => Promise<void>;
  declare readonly remainingTimeMs: () => number;
  declare readonly lambda: Context | undefined;
  declare readonly [ATTEMPT]: AttemptHandle;
  readonly #run: HandlerRun;

  constructor(run: HandlerRun, { facts, attempt }: Runnable, scope: BatchScope) {
    this.#run = run;
    Object.defineProperty(this, 'signal', HandlerContext.#SIGNAL);
    this.done = () => run.noteDone();
    this.idempotencyKey = facts.key;
    this.attempt = facts.attempt;
    this.leaseUntil = run.lease.leaseUntil;
    run.shownTo = this;
    this.extendLease = (leaseMs) => run.extendLease(leaseMs);
    this.remainingTimeMs = scope.remainingTimeMs;
    this.lambda = scope.lambda;
    this[ATTEMPT] = handleOf(attempt, run, scope);
  }

  static readonly #SIGNAL = ownAccessor<HandlerContext>({
    get() {
      return this.#run.signal;
    },
  });
}
