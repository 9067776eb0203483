import { describe, expect, it } from '@jest/globals';
import type { RecordHandler } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { advanceUntil } from '../support/advance-until.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { watchRequests } from '../support/sdk-traffic.ts';
import { type Bench, bench, failed, ids, messages } from './bench.ts';

describe('Requests to DynamoDB', () => {
  const table = emulatedTable('dynoxide');

  /** A bench, and how many requests have left its client: each sending counts, retries too. */
  function watched(): { b: Bench; operations: () => Record<string, number>; count: () => number } {
    const client = table.newClient();
    const sent = watchRequests(client);
    const b = bench((clock) => dynamoDBStore({ tableName: table.tableName, client, clock }));
    const operations = (): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const { operation } of sent) counts[operation] = (counts[operation] ?? 0) + 1;
      return counts;
    };
    return { b, operations, count: () => sent.length };
  }

  /** Handlers that all take the same time on the bench's clock; the test moves it while they run. */
  async function runEqual(
    b: Bench,
    batch: string[],
    takesMs: number,
    concurrency: number,
  ): Promise<string[]> {
    const handler: RecordHandler = () =>
      takesMs === 0
        ? undefined
        : new Promise<void>((resolve) => {
            b.clock.setTimer(resolve, takesMs);
          });
    const answer = b.processor(handler, { concurrency })(messages(...batch));
    return failed(await advanceUntil(b.clock, answer));
  }

  it.each([0, 20])(
    'are at most 0.2 a record in a batch of 10 whose handlers take %i ms: one to claim, one to settle',
    async (takesMs) => {
      const { b, operations, count } = watched();
      expect(await runEqual(b, ids(10), takesMs, 10)).toEqual([]);
      expect(operations()).toEqual({ BatchExecuteStatement: 2 });
      expect(count() / 10).toBeLessThanOrEqual(0.2);
    },
  );

  it.each([0, 20])(
    'are at most 0.1 a record in a batch of 1,000, 100 at once, whose handlers take %i ms',
    async (takesMs) => {
      const { b, count } = watched();
      expect(await runEqual(b, ids(1_000), takesMs, 100)).toEqual([]);
      expect(count() / 1_000).toBeLessThanOrEqual(0.1);
    },
  );

  it('are one for 10 messages that were completed before and come again', async () => {
    const { b, count } = watched();
    await runEqual(b, ids(10), 0, 10);
    const before = count();
    const again = messages(...ids(10));
    for (const { attributes } of again.Records) attributes.ApproximateReceiveCount = '2';
    expect(failed(await b.processor(() => 'again')(again))).toEqual([]);
    expect(count() - before).toBe(1);
  });

  it('are no more for failures than for successes', async () => {
    const { b, count } = watched();
    const batch = ids(10);
    expect(await b.run(() => Promise.reject(new Error('declined')), batch)).toEqual(batch);
    expect(count()).toBe(2);
  });
});
