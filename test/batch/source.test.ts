import { describe, expect, it } from '@jest/globals';
import {
  type BatchRecord,
  createBatchProcessor,
  dynamoDBStream,
  eventBridge,
  kinesis,
  type KinesisBatchRecord,
  type SqsBatchRecord,
  sqs,
  standardSchema,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { eventBridgeEvent, kinesisEvent, sqsEvent } from 'batchlatch/testing';
import { z } from 'zod';
import { bench, failed } from './bench.ts';

interface Order {
  readonly orderId: string;
}

const quiet = { observer: { onEvent: () => undefined } };

describe('The source of a processor', () => {
  it('reads its own events, and refuses those of another service without running anything', async () => {
    let runs = 0;
    const process = bench().processor(() => (runs += 1), { source: kinesis() });
    expect(failed(await process(kinesisEvent([{ body: {} }])))).toEqual([]);
    await expect(process(sqsEvent([{ body: {} }]))).rejects.toMatchObject({
      code: 'BATCHLATCH_UNSUPPORTED_EVENT',
      message: expect.stringContaining('`source` is Kinesis'),
    });
    expect(runs).toBe(1);
  });

  it('answers as the source does', async () => {
    const handler = (): never => {
      throw new Error('declined');
    };
    const rejects = bench().processor(handler, { source: eventBridge() });
    await expect(rejects(eventBridgeEvent({}))).rejects.toThrow('declined');
    const names = bench().processor(handler, { source: sqs() });
    expect(failed(await names(sqsEvent([{ messageId: 'a', body: {} }])))).toEqual(['a']);
  });

  it('types the record of the handler, also where the options have functions of the record', async () => {
    const seen: [string, string][] = [];
    const process = createBatchProcessor(
      async (record) => {
        const known: KinesisBatchRecord<Order> = record;
        seen.push([known.partitionKey, record.body.orderId]);
      },
      { ...quiet, store: memoryStore(), source: kinesis<Order>(), key: ({ id }) => id },
    );
    await process(kinesisEvent([{ body: { orderId: 'A' }, partitionKey: 'p' }]));
    expect(seen).toEqual([['p', 'A']]);
  });

  it('types it beside a schema, whose output is the body', async () => {
    const seen: [string, number][] = [];
    const process = createBatchProcessor(
      async (record) => {
        const known: SqsBatchRecord<{ amount: number }> = record;
        seen.push([known.raw.messageId, record.body.amount]);
      },
      {
        ...quiet,
        store: memoryStore(),
        source: sqs(),
        schema: standardSchema(z.object({ amount: z.coerce.number() })),
      },
    );
    await process(sqsEvent([{ messageId: 'm', body: { amount: '7' } }]));
    expect(seen).toEqual([['m', 7]]);
  });

  it('types the records of a batch handler', async () => {
    const seen: string[] = [];
    const process = createBatchProcessor.forBatches(
      async (items) => {
        for (const { record } of items) seen.push(record.partitionKey);
      },
      { ...quiet, store: memoryStore(), source: kinesis() },
    );
    await process(kinesisEvent([{ body: {}, partitionKey: 'p' }]));
    expect(seen).toEqual(['p']);
  });

  it('gives a change of a table as the body, and leaves the record open where none is named', () => {
    const options = { ...quiet, store: memoryStore() };
    expect([
      createBatchProcessor(async ({ body }) => body.newImage?.['orderId'], {
        ...options,
        source: dynamoDBStream(),
      }),
      createBatchProcessor<Order>(async (record: BatchRecord<Order>) => record.body.orderId, options),
      createBatchProcessor<Order>(async (record) => record.body.orderId, { ...options, source: sqs() }),
    ]).toHaveLength(3);
  });
});
