import { factsOf } from '../attempts/facts-of.ts';
import type { RunsTogether } from '../attempts/attempt.ts';
import type { AttemptEnd } from '../attempts/handler-end.ts';
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
  /** Whether most attempts have nothing to wait for before their handler is called. */
  readonly #isDirect: boolean;
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
    this.#isDirect = typeof handler === 'function' && schema === undefined;
    if (typeof handler === 'object') this.gathering = handler.gather(context, this.#starts);
  }

  /** It is `held`, and its turn has come. */
  offer(attempt: BatchAttempt): void {
    this.#ready.push(attempt);
    this.#startReady();
  }

  /** The attempt is `ended`, or `abandoned`: its slot is free. */
  over(attempt: BatchAttempt): void {
    this.#context.running.delete(attempt);
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
    const refusal = attempt.hasClaim ? refusalOf(attempt, this.#context.claims.rules) : undefined;
    if (refusal !== undefined) this.#refuse(attempt, { kind: 'refused', error: refusal });
    else if (this.#isDirect && (!attempt.hasClaim || this.#starts.isReady(attempt))) {
      this.#call(attempt, this.#handler as RecordHandler);
    } else this.#prepare(attempt).catch((thrown: unknown) => this.#context.watch.fail(thrown));
  }

  /** Whether nothing has to be written before it starts. */
  #isReady(attempt: BatchAttempt): boolean {
    return !attempt.hasClaim || this.#starts.isReady(attempt);
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
      return this.#call(attempt, call.handler);
    }
    const mayStart = this.#isReady(attempt) || (await this.#starts.ready([attempt])).has(attempt);
    if (mayStart && !time.deadline.stop.aborted) this.#call(attempt, this.#handler as RecordHandler);
    else this.#giveUp(attempt);
  }

  #call(attempt: BatchAttempt, handler: RecordHandler): void {
    const { running, watch, host } = this.#context;
    const record = attempt.of.record as BatchRecord;
    const own = (): unknown => handler(record, new HandlerContext(attempt, this.#context));
    const call = host === undefined ? own : () => host.runHandler(own);
    const { around } = watch;
    running.add(attempt);
    // What is called together is observed together.
    if (around === undefined || attempt.together !== undefined) attempt.run(call);
    else attempt.run(() => around([factsOf(attempt)], call));
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
