import { describe, expect, it } from '@jest/globals';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSEvent } from 'aws-lambda';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { sqsEvent } from 'batchlatch/testing';
import { emulatedTable } from '../support/emulated-table.ts';
import { type SentRequest, watchRequests } from '../support/sdk-traffic.ts';
import { type Bench, bench, failed } from './bench.ts';

/** The first delivery of some messages, or a later one. */
function delivery(receiveCount: number, ...ids: string[]): SQSEvent {
  return sqsEvent(ids.map((messageId) => ({ messageId, body: {}, receiveCount })));
}

describe('A message that was received before', () => {
  const table = emulatedTable('dynoxide');

  function watched(): Bench & { readonly sent: SentRequest[] } {
    const client: DynamoDBClient = table.newClient();
    const sent = watchRequests(client);
    const b = bench((clock) => dynamoDBStore({ tableName: table.tableName, client, clock }));
    return Object.assign(b, { sent });
  }
  const operations = (sent: SentRequest[]): string[] => sent.splice(0).map(({ operation }) => operation);

  it('is looked up before anything is written: its completion costs one read', async () => {
    const { sent, processor } = watched();
    const process = processor(() => 'done');
    await process(delivery(1, 'a', 'b'));
    expect(operations(sent)).toEqual(['BatchExecuteStatement', 'BatchExecuteStatement']);

    expect(failed(await process(delivery(2, 'a', 'b')))).toEqual([]);
    expect(operations(sent)).toEqual(['BatchGetItem']);
  });

  it('costs a write more on its first delivery, when it is sent twice', async () => {
    const { sent, processor } = watched();
    const process = processor(() => 'done');
    await process(delivery(1, 'a'));
    operations(sent);

    expect(failed(await process(delivery(1, 'a')))).toEqual([]);
    expect(operations(sent)[0]).toBe('BatchExecuteStatement');
  });

  it('is claimed as any other where nobody left a claim', async () => {
    const { sent, processor, claim } = watched();
    expect(failed(await processor(() => 'done')(delivery(2, 'new')))).toEqual([]);
    expect(operations(sent)).toEqual(['BatchGetItem', 'BatchExecuteStatement', 'BatchExecuteStatement']);
    expect(await claim('new')).toMatchObject({ status: 'COMPLETED', attempt: 1 });
  });

  it('is claimed for its next attempt after a failure', async () => {
    const { sent, processor, claim } = watched();
    await processor(() => Promise.reject(new Error('declined')))(delivery(1, 'a'));
    operations(sent);

    expect(failed(await processor(() => 'done')(delivery(2, 'a')))).toEqual([]);
    expect(operations(sent)).toEqual(['BatchGetItem', 'BatchExecuteStatement', 'BatchExecuteStatement']);
    expect(await claim('a')).toMatchObject({ status: 'COMPLETED', attempt: 2 });
  });
});

describe('The hint that a message was received before', () => {
  it('is given for each record by its own receive count', async () => {
    const hints: unknown[] = [];
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        acquire(requests) {
          hints.push(...requests.map(({ isRedelivery }) => isRedelivery));
          return store.acquire(requests);
        },
      };
    });
    const event = sqsEvent([
      { messageId: 'first', body: {}, receiveCount: 1 },
      { messageId: 'second', body: {}, receiveCount: 2 },
      { messageId: 'hundredth', body: {}, receiveCount: 100 },
      { messageId: 'unknown', body: {} },
    ]);
    Object.assign(event.Records[3] as object, { attributes: { ApproximateReceiveCount: 'many' } });
    await b.processor(() => 'done')(event);
    expect(hints).toEqual([false, true, true, false]);
  });
});
