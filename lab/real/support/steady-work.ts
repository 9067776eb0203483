import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClaimStore, createBatchProcessor, type RecordContext } from 'batchlatch';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import type { Run } from './disturbed-job.ts';

/** New messages all the time; each is delivered again until it is acknowledged. */
export interface SteadyWork {
  /** Every message. */
  readonly ids: readonly string[];
  /** When the handler was started for a record. */
  readonly starts: readonly number[];
  /** Every run of the handler that has done its work. */
  readonly runs: readonly Run[];
  readonly deliveries: readonly Delivery[];
  readonly acknowledged: readonly string[];
  /** What was acknowledged although its completion was not stored. */
  readonly acknowledgedUnstored: readonly string[];
  /** Begins no new messages, and resolves when all are acknowledged. */
  finish(): Promise<void>;
  /** Delivers once more what is acknowledged. Gives the ids that ran again. */
  deliverAgain(): Promise<readonly string[]>;
  /** Delivers nothing more, whatever is not acknowledged. */
  stop(): Promise<void>;
}

/** One invocation. Times are epoch milliseconds. */
interface Delivery {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly records: number;
  /** How many of them come again. */
  readonly failed: number;
}

export interface SteadyWorkOptions {
  /** The disturbed way to the store. */
  readonly store: ClaimStore;
  /** The same claims by a way that is not disturbed, to see what is stored. */
  readonly direct?: ClaimStore;
  /** What a function's timeout is. */
  readonly invocationMs: number;
  /** Default: as long as the invocation. */
  readonly leaseMs?: number;
  readonly workers?: number;
  /** What the handler does for a message. */
  readonly effect: (id: string, context: RecordContext) => Promise<unknown>;
}

const BATCH = 10;

export function startSteadyWork(options: SteadyWorkOptions): SteadyWork {
  const { store, direct, invocationMs, leaseMs, workers = 2, effect } = options;
  const ids: string[] = [];
  const starts: number[] = [];
  const runs: Run[] = [];
  const deliveries: Delivery[] = [];
  const acknowledged: string[] = [];
  const acknowledgedUnstored: string[] = [];
  const namespace = randomUUID();
  const process = createBatchProcessor(
    async ({ id }, context) => {
      const { attempt } = context;
      const startedAt = Date.now();
      starts.push(startedAt);
      await effect(id, context);
      runs.push({ key: id, attempt, startedAt, leaseUntil: context.leaseUntil });
    },
    { store, namespace, observer: { onEvent: () => undefined }, ...(leaseMs !== undefined && { leaseMs }) },
  );

  /** Gives the ids that come again. */
  async function deliver(waiting: readonly string[], receiveCount: number): Promise<string[]> {
    const event = sqsEvent(waiting.map((messageId) => ({ messageId, body: {}, receiveCount })));
    const startedAt = Date.now();
    const { batchItemFailures } = await process(event, lambdaContext({ remainingTimeMs: invocationMs }));
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    deliveries.push({ startedAt, endedAt: Date.now(), records: waiting.length, failed: failed.size });
    const done = waiting.filter((id) => !failed.has(id));
    acknowledged.push(...done);
    for (const id of done) {
      const claim = await direct?.inspect(`${namespace}#v1:${id}`);
      if (direct !== undefined && claim?.status !== 'COMPLETED') acknowledgedUnstored.push(id);
    }
    return waiting.filter((id) => failed.has(id));
  }

  let isOver = false;
  let isStopped = false;
  async function work(): Promise<void> {
    while (!isOver) {
      let waiting: string[] = Array.from({ length: BATCH }, () => randomUUID());
      ids.push(...waiting);
      for (let count = 1; waiting.length > 0 && !isStopped; count += 1) {
        waiting = await deliver(waiting, count);
        await delay(50);
      }
    }
  }
  const working = Promise.all(Array.from({ length: workers }, work));

  return {
    ids,
    starts,
    runs,
    deliveries,
    acknowledged,
    acknowledgedUnstored,
    async finish() {
      isOver = true;
      await working;
    },
    async deliverAgain() {
      const before = runs.length;
      const done = [...acknowledged];
      for (let at = 0; at < done.length; at += BATCH) await deliver(done.slice(at, at + BATCH), 2);
      return runs.slice(before).map(({ key }) => key);
    },
    async stop() {
      isOver = true;
      isStopped = true;
      await working;
    },
  };
}
