import type { AttemptEnd, RunsTogether } from '../attempts/handler-end.ts';
import { refusalOf } from '../attempts/rules.ts';
import { Starts } from '../attempts/starts.ts';
import type { BatchRecord } from '../sources/record.ts';
import { forgetLongBody } from '../sources/text-record.ts';
import type { BatchAttempt, BatchContext } from './context.ts';
import { HandlerContext } from './handler-context.ts';
import type { RecordHandler } from './record-handler.ts';

/** What does the work: of one record, or of many at once. */
export type Handler = RecordHandler | GatheringHandler;

/** A handler that does the work of many records in one call. */
export interface GatheringHandler {
  gather(context: BatchContext, starts: Starts): Gathering;
}

/** Brings records together before they start. */
export interface Gathering {
  /** Resolves with what the record runs, at once; undefined: it may not start any more. */
  join(attempt: BatchAttempt): Promise<Call | undefined>;
  /** To be called when something that could have joined has ended. */
  startIfComplete(): void;
  /** Nothing is started any more. */
  stop(): void;
}

/** What a record runs: its handler, and the attempts that share one call of it. */
export interface Call {
  readonly handler: RecordHandler;
  readonly together: RunsTogether;
}

/** Who goes on with what has run. */
export interface AfterRun {
  /** The attempt is still `held`: it may not start any more. */
  notStarted(attempt: BatchAttempt): void;
  /** The attempt is `ended`. */
  over(attempt: BatchAttempt): void;
}

/** The second stage: runs the attempts that hold their claims, as many at once as there are slots. */
export class RunStage {
  readonly #handler: Handler;
  readonly #context: BatchContext;
  readonly #after: AfterRun;
  readonly #starts: Starts;
  readonly gathering: Gathering | undefined;
  /** Calls a handler of single records, where most attempts have nothing to wait for before it. */
  readonly #directCall: ((attempt: BatchAttempt) => unknown) | undefined;
  readonly #ready: BatchAttempt[] = [];
  /** Of those that are ready, the next. */
  #next = 0;
  #free: number;
  #isStarting = false;

  constructor(handler: Handler, context: BatchContext, after: AfterRun) {
    const { concurrency, schema } = context.settings;
    this.#handler = handler;
    this.#context = context;
    this.#after = after;
    this.#free = concurrency;
    this.#starts = new Starts(context);
    if (typeof handler === 'object') this.gathering = handler.gather(context, this.#starts);
    else if (schema === undefined) this.#directCall = this.#callOf(handler);
  }

  /** It is `held`, and its turn has come. */
  offer(attempt: BatchAttempt): void {
    this.#ready.push(attempt);
    this.#startReady();
  }

  /** The attempt is `ended`, or `abandoned`: its slot is free. */
  over(attempt: BatchAttempt): void {
    if (attempt.state === 'ended') forgetLongBody(attempt.of.record as BatchRecord);
    this.#free += 1;
    this.#startReady();
  }

  /** The handler of one that was abandoned has ended. */
  endedLate({ of }: BatchAttempt): void {
    forgetLongBody(of.record as BatchRecord);
  }

  /** Nothing starts any more. */
  stop(): void {
    for (const attempt of this.#ready.splice(this.#next)) this.#after.notStarted(attempt);
    this.gathering?.stop();
  }

  /** Not from inside of itself: many may be refused one after the other. */
  #startReady(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    while (this.#free > 0 && this.#next < this.#ready.length) {
      this.#free -= 1;
      this.#next += 1;
      this.#begin(this.#ready[this.#next - 1] as BatchAttempt);
    }
    if (this.#next >= this.#ready.length) {
      this.#ready.length = 0; // held on to, all of a batch would be
      this.#next = 0;
    }
    this.#isStarting = false;
  }

  /** It has a slot. */
  #begin(attempt: BatchAttempt): void {
    if (this.#context.time.deadline.stop.aborted) return this.#giveUp(attempt);
    // Only a key that was claimed before can have failed too often. Without a claim it counts no attempts.
    const refusal = attempt.attempt > 1 ? refusalOf(attempt, this.#context.claims.rules) : undefined;
    if (refusal !== undefined) this.#refuse(attempt, { kind: 'refused', error: refusal });
    else if (this.#directCall !== undefined && this.#starts.isReady(attempt)) {
      this.#run(attempt, this.#directCall);
    } else this.#prepare(attempt).catch((thrown: unknown) => this.#context.watch.fail(thrown));
  }

  /** The body has to fit its schema, others may join, the row has to say that it starts, and its lease must be long enough. */
  async #prepare(attempt: BatchAttempt): Promise<void> {
    const { settings, time } = this.#context;
    const unfit = await settings.schema?.check(attempt.of.record as BatchRecord);
    if (unfit !== undefined) return this.#refuse(attempt, unfit);
    if (this.gathering !== undefined) {
      const call = await this.gathering.join(attempt);
      if (call === undefined) return this.#giveUp(attempt);
      attempt.together = call.together;
      return this.#run(attempt, this.#callOf(call.handler));
    }
    const mayStart = this.#starts.isReady(attempt) || (await this.#starts.ready([attempt])).has(attempt);
    if (mayStart && !time.deadline.stop.aborted)
      this.#run(attempt, this.#callOf(this.#handler as RecordHandler));
    else this.#giveUp(attempt);
  }

  #run(attempt: BatchAttempt, call: (attempt: BatchAttempt) => unknown): void {
    this.#context.running.watch(attempt);
    attempt.run(call);
  }

  /** One function for all attempts: the handler, inside what the host and the observer put around it. */
  #callOf(handler: RecordHandler): (attempt: BatchAttempt) => unknown {
    const context = this.#context;
    const { around } = context.watch;
    const { host } = context;
    const own = (attempt: BatchAttempt): unknown =>
      handler(attempt.of.record as BatchRecord, new HandlerContext(attempt, context));
    const hosted = host === undefined ? own : (attempt: BatchAttempt) => host.runHandler(() => own(attempt));
    if (around === undefined) return hosted;
    // What is called together is observed together.
    return (attempt) =>
      attempt.together === undefined ? around([attempt.facts], () => hosted(attempt)) : hosted(attempt);
  }

  #refuse(attempt: BatchAttempt, end: AttemptEnd): void {
    attempt.refuse(end);
    this.#after.over(attempt);
  }

  #giveUp(attempt: BatchAttempt): void {
    this.#free += 1;
    this.#startReady();
    this.#after.notStarted(attempt);
  }
}
