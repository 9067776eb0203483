import type { HandlerRun, RunsTogether } from '../attempts/handler-run.ts';
import type { BatchHandler, BatchItem } from '../batch/batch-handler.ts';
import type { AroundHandler } from '../batch/observing.ts';
import type { Gathering, GatheringHandler, Run } from '../batch/policy.ts';
import type { RecordHandler } from '../batch/record-handler.ts';
import type { Runnable } from '../batch/runnable.ts';
import type { BatchScope } from '../batch/scope.ts';
import { BatchlatchError } from '../base/errors.ts';
import { isError } from '../base/is-error.ts';

/**
 * A batch handler's answer cannot be assigned to its records: all of them count as failed. Code:
 * `BATCHLATCH_BATCH_ANSWER`.
 */
export class BatchAnswerError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param items How many items the handler got.
   * @param answer What it returned.
   */
  constructor(items: number, answer: unknown) {
    const given = Array.isArray(answer) ? `an array of ${answer.length}` : `a ${typeof answer}`;
    super(
      'BATCHLATCH_BATCH_ANSWER',
      `The batch handler got ${items} items and returned ${given}; return nothing, or an array with an entry for each item`,
    );
  }
}

/** Makes the handler of many records one that the engine runs: see `BatchHandler`. */
export function gathered(handler: BatchHandler): GatheringHandler {
  return { gather: (scope, expected) => new Gatherer(handler, scope, expected) };
}

interface Waiting {
  readonly runnable: Runnable;
  readonly enter: (run: Run | undefined) => void;
}

/**
 * Brings single attempts together for a batch handler: each waits before its start until no other could
 * join it; then those whose lease is live start together, as runs of one call. So leases, deadlines, message groups
 * and settlements are the same for both kinds of handler.
 */
class Gatherer implements Gathering {
  readonly #handler: BatchHandler;
  readonly #scope: BatchScope;
  readonly #expected: () => number;
  readonly #waiting: Waiting[] = [];

  constructor(handler: BatchHandler, scope: BatchScope, expected: () => number) {
    this.#handler = handler;
    this.#scope = scope;
    this.#expected = expected;
  }

  enter(runnable: Runnable): Promise<Run | undefined> {
    return new Promise((enter) => {
      this.#waiting.push({ runnable, enter });
      this.startIfComplete();
    });
  }

  startIfComplete(): void {
    if (this.#waiting.length > 0 && this.#waiting.length >= this.#expected()) void this.#start();
  }

  stop(): void {
    for (const { enter } of this.#waiting.splice(0)) enter(undefined);
  }

  async #start(): Promise<void> {
    const waiting = this.#waiting.splice(0);
    const { starts, deadline, around } = this.#scope;
    const ready = await starts.ready(waiting.flatMap(({ runnable: { attempt } }) => attempt ?? []));
    const mayStart = ({ runnable: { attempt } }: Waiting): boolean =>
      attempt === undefined ? !deadline.stop.aborted : ready.has(attempt);
    const starting = waiting.filter(mayStart);
    const run: Run = {
      handler: callTogether(
        this.#handler,
        starting.map(({ runnable }) => runnable),
        around,
      ),
      together: new Together(),
    };
    for (const one of waiting) one.enter(mayStart(one) ? run : undefined);
  }
}

/** The runs of one call of a batch handler. */
class Together implements RunsTogether {
  readonly #runs: HandlerRun[] = [];
  #seen: { readonly by: HandlerRun | undefined } | undefined;

  add(run: HandlerRun): void {
    this.#runs.push(run);
  }

  /** Of thousands of runs, the first that asks looks at all of them. */
  whoHasSeenAbort(): HandlerRun | undefined {
    this.#seen ??= { by: this.#runs.find(({ hasSeenAbort }) => hasSeenAbort) };
    return this.#seen.by;
  }
}

/** A handler for each of these records that calls the batch handler once, when all of them have been given to it. */
function callTogether(
  handler: BatchHandler,
  runnables: readonly Pick<Runnable, 'entry' | 'facts'>[],
  around: AroundHandler | undefined,
): RecordHandler {
  // Claims are answered in requests side by side, in any order.
  const inOrder = [...runnables].sort((a, b) => a.entry.index - b.entry.index);
  const places = new Map(inOrder.map(({ entry }, place) => [entry.record, place]));
  const items: BatchItem[] = [];
  const call = (): Promise<readonly unknown[] | void> => answerOf(handler, items);
  let missing = runnables.length;
  let answering: Promise<readonly unknown[] | void>;
  let allThere: () => void;
  const complete = new Promise<void>((resolve) => (allThere = resolve));
  return async (record, context) => {
    const place = places.get(record) as number;
    items[place] = { record, context };
    missing -= 1;
    if (missing === 0) {
      answering =
        around === undefined
          ? call()
          : (around(
              inOrder.map(({ facts }) => facts),
              call,
            ) as typeof answering);
      allThere();
    }
    await complete;
    const result: unknown = (await answering)?.[place];
    if (isError(result)) throw result;
    return result;
  };
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
