import type { AttemptEnd } from '../attempts/handler-end.ts';
import { refusalOf } from '../attempts/rules.ts';
import { Starts } from '../attempts/starts.ts';
import type { BatchRecord } from '../sources/record.ts';
import { forgetLongBody } from '../sources/text-record.ts';
import type {
  BatchAttempt,
  BatchContext,
  Gathering,
  GatheringHandler,
  RoutingPolicy,
  SchemaPolicy,
} from './context.ts';
import { HandlerContext } from './handler-context.ts';
import type { RecordHandler } from './record-handler.ts';

/** A handler for single records or for many at once, or the handlers of routes. */
export type Handler = RecordHandler | GatheringHandler | RoutingPolicy;

/** The continuation of attempts that have run or cannot start. */
export interface AfterRun {
  /** The attempt is still `held` and may not start any more. */
  notStarted(attempt: BatchAttempt): void;
  /** The attempt is `ended`. */
  over(attempt: BatchAttempt): void;
}

/** The second stage: runs attempts that hold their claims, up to `concurrency` at once. */
export class RunStage {
  /** For records without a route. */
  readonly #given: { readonly handler: Handler; readonly schema: SchemaPolicy<unknown> | undefined };
  readonly #context: BatchContext;
  readonly #after: AfterRun;
  readonly #starts: Starts;
  readonly gathering: Gathering | undefined;
  /** Calls a handler of single records directly, where no schema and no gathering come before it. */
  readonly #directCall: ((attempt: BatchAttempt) => unknown) | undefined;
  /** Attempts whose bodies the schema checks. It may never end, and they may still be handed back. */
  readonly #checking = new Set<BatchAttempt>();
  readonly #ready: BatchAttempt[] = [];
  /** The index of the next ready attempt. */
  #next = 0;
  #free: number;
  #isStarting = false;

  constructor(handler: Handler, context: BatchContext, after: AfterRun) {
    const { concurrency, schema } = context.settings;
    this.#given = { handler, schema };
    this.#context = context;
    this.#after = after;
    this.#free = concurrency;
    this.#starts = new Starts(context);
    if (typeof handler === 'object') {
      this.gathering = handler.gather?.(context, this.#starts);
      if (handler.hasOwnSlots === true) this.#free = Infinity;
    } else if (schema === undefined) this.#directCall = this.#callOf(handler);
  }

  offer(attempt: BatchAttempt): void {
    this.#ready.push(attempt);
    this.#startReady();
  }

  /** Frees the slot of an `ended` or `abandoned` attempt. */
  over(attempt: BatchAttempt): void {
    if (attempt.state === 'ended') forgetLongBody(attempt.of.record as BatchRecord);
    this.#freeSlot(attempt);
  }

  endedLate({ of }: BatchAttempt): void {
    forgetLongBody(of.record as BatchRecord);
  }

  /** Hands back what is ready now or later: after the deadline nothing starts, so no slot is needed. */
  stop(): void {
    this.#free = Infinity;
    this.#startReady();
    for (const attempt of this.#checking) {
      this.#checking.delete(attempt);
      this.#giveUp(attempt);
    }
    this.gathering?.stop();
  }

  /** Not reentrant: each refused attempt calls it again, and many in a row would overflow the stack. */
  #startReady(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    while (this.#free > 0 && this.#next < this.#ready.length) {
      const attempt = this.#ready[this.#next] as BatchAttempt;
      this.#next += 1;
      if (attempt.of.route?.slots?.take(attempt, () => this.offer(attempt)) === false) continue;
      this.#free -= 1;
      this.#begin(attempt);
    }
    if (this.#next >= this.#ready.length) {
      this.#ready.length = 0; // else the whole batch stays in memory
      this.#next = 0;
    }
    this.#isStarting = false;
  }

  #begin(attempt: BatchAttempt): void {
    if (this.#context.time.deadline.stop.aborted) return this.#giveUp(attempt);
    // Only keys that were claimed before can exceed a limit. A record without a claim counts no attempts.
    const refusal = attempt.attempt > 1 ? refusalOf(attempt, attempt.scope.claims.rules) : undefined;
    if (refusal !== undefined) this.#refuse(attempt, { kind: 'refused', error: refusal });
    else if (this.#directCall !== undefined && this.#starts.isReady(attempt)) {
      this.#run(attempt, this.#directCall);
    } else this.#prepare(attempt).catch((thrown: unknown) => this.#context.watch.fail(thrown));
  }

  /** Checks the schema, waits for other records to join, writes the start, and extends a short lease. */
  async #prepare(attempt: BatchAttempt): Promise<void> {
    const { stop } = this.#context.time.deadline;
    const { handler, schema } = attempt.of.route ?? this.#given;
    if (schema !== undefined) this.#checking.add(attempt);
    const unfit = await schema?.check(attempt.of.record as BatchRecord);
    if (schema !== undefined && !this.#checking.delete(attempt)) return; // it was handed back
    if (unfit !== undefined) return this.#refuse(attempt, unfit);
    if (this.gathering !== undefined) {
      const call = await this.gathering.join(attempt);
      if (call === undefined) return this.#giveUp(attempt);
      attempt.together = call.together;
      return this.#run(attempt, this.#callOf(call.handler));
    }
    const mayStart = this.#starts.isReady(attempt) || (await this.#starts.ready([attempt])).has(attempt);
    if (mayStart && !stop.aborted) this.#run(attempt, this.#callOf(handler as RecordHandler));
    else this.#giveUp(attempt);
  }

  #run(attempt: BatchAttempt, call: (attempt: BatchAttempt) => unknown): void {
    this.#context.running.watch(attempt);
    attempt.run(call);
  }

  /** Wraps the handler in what the host and the observer put around it. All attempts share one function. */
  #callOf(handler: RecordHandler): (attempt: BatchAttempt) => unknown {
    const context = this.#context;
    const { around } = context.watch;
    const { host } = context;
    const own = (attempt: BatchAttempt): unknown =>
      handler(attempt.of.record as BatchRecord, new HandlerContext(attempt, context));
    const hosted = host === undefined ? own : (attempt: BatchAttempt) => host.runHandler(() => own(attempt));
    if (around === undefined) return hosted;
    // Attempts that share a call are observed together.
    return (attempt) =>
      attempt.together === undefined ? around([attempt.facts], () => hosted(attempt)) : hosted(attempt);
  }

  #refuse(attempt: BatchAttempt, end: AttemptEnd): void {
    const { recordId, hasClaim } = attempt;
    // A refused claim is parked, which tells the error. Otherwise nothing else tells it.
    if (end.kind === 'threw' || (end.kind === 'refused' && !hasClaim)) {
      this.#context.watch.notify({ type: 'decodeFailed', recordId, error: end.error });
    }
    attempt.refuse(end);
    this.#after.over(attempt);
  }

  #giveUp(attempt: BatchAttempt): void {
    this.#freeSlot(attempt);
    this.#after.notStarted(attempt);
  }

  #freeSlot(attempt: BatchAttempt): void {
    attempt.of.route?.slots?.release(attempt);
    this.#free += 1;
    this.#startReady();
  }
}
