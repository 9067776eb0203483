import { setTimeout as delay } from 'node:timers/promises';
import { createBatchProcessor } from 'batchlatch';
import type { ClaimStore } from '../../../src/claims/claim-store.ts';
import { lambdaContext, sqsEvent } from '../../../src/testing/index.ts';
import type { Run } from './disturbed-job.ts';

export interface RedisJob {
  /** Every run that has ended. */
  readonly runs: readonly Run[];
  /** What was acknowledged although its completion was not stored. */
  readonly acknowledgedUnstored: readonly string[];
}

export interface RedisJobOptions {
  /** The disturbed way to Redis. */
  readonly store: ClaimStore;
  /** The same claims by a way that is not disturbed. */
  readonly direct: ClaimStore;
  readonly keys: readonly string[];
  readonly functionTimeoutMs: number;
  readonly leaseMs?: number;
  readonly withinMs: number;
}

/** Delivers messages, and again what was not acknowledged, as a queue does, until all are. */
export async function deliverUntilDone(options: RedisJobOptions): Promise<RedisJob> {
  const { store, direct, keys, functionTimeoutMs, leaseMs, withinMs } = options;
  const runs: Run[] = [];
  const acknowledgedUnstored: string[] = [];
  const handler = createBatchProcessor(
    async ({ id: key }, context) => {
      const { attempt } = context;
      const startedAt = Date.now();
      await delay(10);
      runs.push({ key, attempt, startedAt, leaseUntil: context.leaseUntil });
    },
    {
      store,
      namespace: 'job',
      observer: { onEvent: () => undefined },
      ...(leaseMs !== undefined && { leaseMs }),
    },
  );
  const until = Date.now() + withinMs;
  let waiting = [...keys];
  let invocations = 0;
  while (waiting.length > 0) {
    if (Date.now() > until) throw new Error(`${waiting.length} messages were not acknowledged in time`);
    const batch = waiting.slice(0, 25);
    const event = sqsEvent(
      batch.map((messageId) => ({ messageId, body: {}, receiveCount: invocations === 0 ? 1 : 2 })),
    );
    const { batchItemFailures } = await handler(event, lambdaContext({ remainingTimeMs: functionTimeoutMs }));
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    invocations += 1;
    for (const key of batch.filter((one) => !failed.has(one))) {
      const claim = await direct.inspect(`job#v1:${key}`);
      if (claim?.status !== 'COMPLETED') acknowledgedUnstored.push(key);
    }
    waiting = [...waiting.slice(25), ...batch.filter((key) => failed.has(key))];
    if (failed.size > 0) await delay(50);
  }
  return { runs, acknowledgedUnstored };
}
