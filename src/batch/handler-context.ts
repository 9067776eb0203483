import type { Context } from 'aws-lambda';
import { handleOf } from '../attempts/handle-of.ts';
import type { HandlerRun } from '../attempts/handler-run.ts';
import { ATTEMPT, type AttemptHandle } from '../claims/attempt-handle.ts';
import type { RecordContext } from './record-handler.ts';
import type { Runnable } from './runnable.ts';
import type { BatchScope } from './scope.ts';

/** What the handler sees of its run. */
export function handlerContext(run: HandlerRun, runnable: Runnable, scope: BatchScope): RecordContext {
  return new HandlerContext(run, runnable, scope);
}

/** Its functions are made when they are looked at, so that they can be destructured. */
class HandlerContext implements RecordContext {
  readonly #run: HandlerRun;
  readonly #runnable: Runnable;
  readonly #scope: BatchScope;

  constructor(run: HandlerRun, runnable: Runnable, scope: BatchScope) {
    this.#run = run;
    this.#runnable = runnable;
    this.#scope = scope;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get done(): () => void {
    return () => this.#run.noteDone();
  }

  get idempotencyKey(): string {
    return this.#runnable.facts.key;
  }

  get attempt(): number {
    return this.#runnable.facts.attempt;
  }

  get leaseUntil(): number {
    return this.#runnable.lease.leaseUntil;
  }

  get lambda(): Context | undefined {
    return this.#scope.lambda;
  }

  get remainingTimeMs(): () => number {
    return () => this.#scope.deadline.remainingTimeMs();
  }

  get extendLease(): (leaseMs: number) => Promise<void> {
    return (leaseMs) => this.#run.extendLease(leaseMs);
  }

  get [ATTEMPT](): AttemptHandle {
    return handleOf(this.#runnable.attempt, this.#run, this.#scope);
  }
}
