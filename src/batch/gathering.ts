import { types } from 'node:util';
import type { BatchRecord } from '../sources/record.ts';
import { type Attempt, ensureLeases, type InvocationScope } from './attempt.ts';
import type { BatchHandler, BatchItem } from './batch-handler.ts';
import { BatchAnswerError } from './errors.ts';
import type { RecordHandler } from './record-handler.ts';
import { RunsTogether } from './handler-run.ts';
import type { Starts } from './starts.ts';
import type { Run } from './run-attempt.ts';

interface Waiting {
  readonly attempt: Attempt;
  readonly enter: (join: Run | undefined) => void;
}

/**
 * Brings single attempts together for a batch handler: each waits before its start until nobody is left who could
 * join it; then those whose lease is live start together, as runs of one call. So leases, deadlines, message groups
 * and settlements are the same for both kinds of handler.
 */
export class Gathering {
  readonly #handler: BatchHandler;
  readonly #scope: InvocationScope;
  readonly #starts: Starts;
  readonly #expected: () => number;
  readonly #waiting: Waiting[] = [];

  /** `expected` says how many can wait at most now. */
  constructor(handler: BatchHandler, scope: InvocationScope, starts: Starts, expected: () => number) {
    this.#handler = handler;
    this.#scope = scope;
    this.#starts = starts;
    this.#expected = expected;
  }

  /** Resolves with what the attempt is to run, at once; undefined: it may not start any more. */
  enter(attempt: Attempt): Promise<Run | undefined> {
    return new Promise((enter) => {
      this.#waiting.push({ attempt, enter });
      this.startIfComplete();
    });
  }

  /** To be called when something that could have joined has ended. */
  startIfComplete(): void {
    if (this.#waiting.length > 0 && this.#waiting.length >= this.#expected()) void this.#start();
  }

  /** Nothing is started any more. */
  stop(): void {
    for (const { enter } of this.#waiting.splice(0)) enter(undefined);
  }

  async #start(): Promise<void> {
    const waiting = this.#waiting.splice(0);
    const attempts = waiting.map(({ attempt }) => attempt);
    const areRecorded = this.#starts.isRecording
      ? await Promise.all(attempts.map((attempt) => this.#starts.record(attempt)))
      : undefined;
    // Who came first has waited longest for the others, perhaps for as long as its lease.
    const areLive = await ensureLeases(attempts, this.#scope);
    const isStopped = this.#scope.deadline.stop.aborted;
    const mayStart = areLive.map((isLive, index) => isLive && areRecorded?.[index] !== false && !isStopped);
    const starting = waiting.filter((_, index) => mayStart[index]);
    const join: Run = {
      handler: callTogether(
        this.#handler,
        starting.map(({ attempt: { entry } }) => entry),
      ),
      together: new RunsTogether(),
    };
    waiting.forEach(({ enter }, index) => enter(mayStart[index] === true ? join : undefined));
  }
}

/** A handler for each of these records that calls the batch handler once, when all of them have been given to it. */
function callTogether(
  handler: BatchHandler,
  entries: readonly { readonly index: number; readonly record: BatchRecord | undefined }[],
): RecordHandler {
  // Claims are answered in requests side by side, in any order.
  const inOrder = [...entries].sort((a, b) => a.index - b.index);
  const places = new Map(inOrder.map(({ record }, place) => [record, place]));
  const items: BatchItem[] = [];
  let missing = entries.length;
  let answering: Promise<readonly unknown[] | void>;
  let allThere: () => void;
  const complete = new Promise<void>((resolve) => (allThere = resolve));
  return async (record, context) => {
    const place = places.get(record) as number;
    items[place] = { record, context };
    missing -= 1;
    if (missing === 0) {
      answering = answerOf(handler, items);
      allThere();
    }
    await complete;
    const result: unknown = (await answering)?.[place];
    if (isError(result)) throw result;
    return result;
  };
}

/** Also an error of another realm, as a sandbox of tests makes it, and the abort of a `fetch` there. */
function isError(value: unknown): boolean {
  if (value instanceof Error || types.isNativeError(value)) return true;
  return Object.prototype.toString.call(value) === '[object DOMException]';
}

async function answerOf(
  handler: BatchHandler,
  items: readonly BatchItem[],
): Promise<readonly unknown[] | void> {
  const answer = await handler(items);
  if (answer !== undefined && (!Array.isArray(answer) || answer.length !== items.length)) {
    throw new BatchAnswerError(items.length, answer);
  }
  return answer;
}
