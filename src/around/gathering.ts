import type { HandlerStop, RunsTogether } from '../attempts/handler-end.ts';
import type { Attempt } from '../attempts/attempt.ts';
import type { BatchHandler, BatchItem } from '../batch/batch-handler.ts';
import type { AroundHandler } from '../batch/observing.ts';
import type { BatchAttempt, Call, GatherFor, Gathering, GatheringHandler } from '../batch/context.ts';
import type { RecordHandler } from '../batch/record-handler.ts';
import { BatchlatchError, isError } from '../base/errors.ts';

/**
 * A handler of `createBatchProcessor.forBatches` returned something else than results. All its records are
 * handed back, although their work may be done. Code: `BATCHLATCH_BATCH_ANSWER`.
 *
 * @remarks Fix the handler.
 */
export class BatchAnswerError extends BatchlatchError {
  override name = 'BatchAnswerError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param items How many items the handler got.
   * @param answer The handler's result.
   */
  constructor(items: number, answer: unknown) {
    const given = Array.isArray(answer) ? `an array of ${answer.length}` : `a ${typeof answer}`;
    super(
      'BATCHLATCH_BATCH_ANSWER',
      `The batch handler got ${items} items and returned ${given}; ` +
        'return nothing, or an array with an entry for each item',
    );
  }
}

/** Adapts a batch handler to the engine: see `BatchHandler`. */
export function gathered(handler: BatchHandler): GatheringHandler {
  return {
    gather: (context, starts) =>
      gatherFor(handler, context, starts, context.claims.activity, context.settings.concurrency),
  };
}

interface Waiting {
  readonly attempt: BatchAttempt;
  readonly join: (call: Call | undefined) => void;
}

/**
 * Gathers attempts for a batch handler. Each waits before its start until no other can join; those with live
 * leases then start as runs of one call, so that leases and settlements work as for single records.
 */
export const gatherFor: GatherFor = (handler, { time, watch }, starts, activity, concurrency) => {
  const waiting: Waiting[] = [];
  const gathering: Gathering = {
    join: (attempt) =>
      new Promise((join) => {
        waiting.push({ attempt, join });
        gathering.startIfComplete();
      }),
    startIfComplete() {
      // Busy attempts may still join, up to the number of slots.
      const expected = Math.min(activity.busy, concurrency);
      if (waiting.length > 0 && waiting.length >= expected) void start(waiting.splice(0));
    },
    stop() {
      for (const { join } of waiting.splice(0)) join(undefined);
    },
  };
  return gathering;

  async function start(group: readonly Waiting[]): Promise<void> {
    const attempts = group.map(({ attempt }) => attempt);
    const ready = await starts.ready(attempts.filter(({ hasClaim }) => hasClaim));
    // rule: gathered-leases
    const mayStart = (attempt: BatchAttempt): boolean =>
      attempt.hasClaim ? ready.has(attempt) : !time.deadline.stop.aborted;
    const starting = attempts.filter(mayStart);
    const call = { handler: callTogether(handler, starting, watch.around), together: together(starting) };
    for (const { attempt, join } of group) join(mayStart(attempt) ? call : undefined);
  }
};

/** Asks all attempts of one call who has seen the abort; caches the answer, because thousands may ask. */
function together(attempts: readonly Attempt[]): RunsTogether {
  let seen: { readonly by: HandlerStop | undefined } | undefined;
  return {
    whoHasSeenAbort() {
      seen ??= { by: attempts.find(({ hasSeenAbort }) => hasSeenAbort)?.stopping };
      return seen.by;
    },
  };
}

/** Returns a handler that calls the batch handler once, after it was called for each of these records. */
function callTogether(
  handler: BatchHandler,
  attempts: readonly BatchAttempt[],
  around: AroundHandler | undefined,
): RecordHandler {
  // Claim requests run concurrently, so their answers may come in any order.
  const inOrder = attempts.toSorted((a, b) => a.of.index - b.of.index);
  const places = new Map(inOrder.map(({ of }, place) => [of.record, place]));
  const items: BatchItem[] = [];
  const call = (): Promise<readonly unknown[] | void> => answerOf(handler, items);
  let missing = attempts.length;
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
    // rule: errors-of-records
    if (isError(result)) throw result;
    return result;
  };
}

async function answerOf(
  handler: BatchHandler,
  items: readonly BatchItem[],
): Promise<readonly unknown[] | void> {
  const answer = await handler(items);
  // rule: answers-for-all
  if (answer !== undefined && (!Array.isArray(answer) || answer.length !== items.length)) {
    throw new BatchAnswerError(items.length, answer);
  }
  return answer;
}
