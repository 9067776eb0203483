import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { expect, it } from '@jest/globals';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { powertoolsKey, powertoolsAttributes } from 'batchlatch/powertools';
import { seededRandom } from '../../lab/local/demo/seeded-random.ts';
import type { EmulatedTable } from './emulated-table.ts';

const MESSAGES = 300;
/** Every message is sent to this many queues at once, as by a producer that repeats itself. */
const COPIES = 2;
const BATCH_SIZE = 10;
const INVOCATIONS_AT_ONCE = 6;

/** A service whose deliveries come to Powertools and to this library in turn, on one table. */
export function describeSharedTable(
  table: Pick<EmulatedTable, 'tableName' | 'newClient'>,
  writes: 'batch' | 'single',
): void {
  it('has each effect once, whichever library a delivery comes to', async () => {
    const random = seededRandom(writes === 'batch' ? 1 : 2);
    const effects = new Map<string, number>();
    const failures = new Map<string, number>();
    const running = new Set<string>();
    const overlaps: string[] = [];

    /** Fails a third of its messages up to twice before the effect. */
    async function charge(messageId: string, library: string): Promise<{ charge: string; by: string }> {
      if (running.has(messageId)) overlaps.push(messageId);
      running.add(messageId);
      try {
        for (let turns = random.integer(5); turns > 0; turns -= 1) await turn();
        const failed = failures.get(messageId) ?? 0;
        if (failed < 2 && random.integer(3) === 0) {
          failures.set(messageId, failed + 1);
          throw new Error('The payment provider is busy');
        }
        effects.set(messageId, (effects.get(messageId) ?? 0) + 1);
        return { charge: `of ${messageId}`, by: library };
      } finally {
        running.delete(messageId);
      }
    }

    const context = lambdaContext({ remainingTimeMs: 60_000 });
    const { tableName } = table;
    const store = dynamoDBStore({
      tableName,
      client: table.newClient(),
      writes,
      attributes: powertoolsAttributes,
    });
    const key = powertoolsKey({ eventKeyJmesPath: 'messageId' });
    const batchlatch = createBatchProcessor(({ id }) => charge(id, 'batchlatch'), {
      store,
      key,
      observer: { onEvent: () => undefined },
    });
    const chargeOnce = makeIdempotent((record: SQSRecord) => charge(record.messageId, 'powertools'), {
      persistenceStore: new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client: table.newClient() }),
      config: new IdempotencyConfig({ eventKeyJmesPath: 'messageId', lambdaContext: context }),
    });
    const powertools = async (event: SQSEvent): Promise<SQSBatchResponse> =>
      processPartialResponse(event, chargeOnce, new BatchProcessor(EventType.SQS), {
        context,
        throwOnFullBatchFailure: false,
      });
    const seenBy = { batchlatch: 0, powertools: 0 };

    const ids = Array.from({ length: MESSAGES }, (_, index) => `${writes}-${index}`);
    const queue = random.shuffled(Array.from({ length: COPIES }, () => ids).flat());
    const receiveCounts = new Map<string, number>();
    let inFlight = 0;
    await Promise.all(
      Array.from({ length: INVOCATIONS_AT_ONCE }, async () => {
        while (queue.length > 0 || inFlight > 0) {
          const batch = [...new Set(queue.splice(0, BATCH_SIZE))]; // what it drops is a copy, beside the other
          inFlight += batch.length;
          const event = sqsEvent(
            batch.map((messageId) => {
              const receiveCount = (receiveCounts.get(messageId) ?? 0) + 1;
              receiveCounts.set(messageId, receiveCount);
              return { messageId, receiveCount, body: { messageId } };
            }),
          );
          const isOurs = random.integer(2) === 0;
          seenBy[isOurs ? 'batchlatch' : 'powertools'] += batch.length;
          const response =
            batch.length === 0 ? undefined : await (isOurs ? batchlatch(event, context) : powertools(event));
          inFlight -= batch.length;
          queue.push(...(response?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
          await turn();
        }
      }),
    );

    expect(overlaps).toEqual([]);
    expect(ids.filter((id) => effects.get(id) !== 1)).toEqual([]);
    expect(failures.size).toBeGreaterThan(MESSAGES / 10);
    expect(Math.min(seenBy.batchlatch, seenBy.powertools)).toBeGreaterThan(MESSAGES / 2);

    // Either has stored some, and both replay the same of all of them.
    const authors = new Set<string>();
    for (const id of ids) {
      const [record] = sqsEvent([{ messageId: id, body: { messageId: id } }]).Records as [SQSRecord];
      const replayed = await chargeOnce(record);
      authors.add(replayed.by);
      const [outcome] = await store.acquire([
        {
          key: key({ source: 'sqs', raw: record } as never),
          owner: 'o',
          leaseMs: 1_000,
          retentionMs: 1_000,
        },
      ]);
      expect(outcome).toMatchObject({ status: 'duplicate' });
      expect(JSON.parse((outcome as { result: string }).result)).toEqual(replayed);
    }
    expect([...authors].sort()).toEqual(['batchlatch', 'powertools']);
    expect([...effects.values()].every((count) => count === 1)).toBe(true);
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
