import { type DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import type { ClaimStore, Completion } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { manualClock } from 'batchlatch/testing';
import { forever } from '../batch/bench.ts';
import { transactEffect } from '../../src/stores/dynamodb/commit.ts';
import { claimRequests, completion } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';

describe('a client without time-outs, whose requests hang', () => {
  const table = emulatedTable('dynoxide');

  it('keeps no place from the requests that come after: 50 commits hang, and claims go on', async () => {
    const clock = manualClock();
    const real = table.newClient();
    let isHanging = false;
    const client = {
      send: (...call: Parameters<DynamoDBClient['send']>) =>
        isHanging && call[0] instanceof TransactWriteItemsCommand ? forever() : real.send(...call),
    } as Pick<DynamoDBClient, 'send'>;
    const store = dynamoDBStore({ client, tableName: table.tableName, clock, random: () => 0 });
    const requests = claimRequests(50);
    await store.acquire(requests);
    isHanging = true;
    const put = { Put: { TableName: table.tableName, Item: { id: 'effect' } } };
    const { commit } = store as Required<ClaimStore>;
    const commits = requests.map((request) =>
      commit(completion(request) as Completion, transactEffect([put])),
    );
    const after = store.acquire(claimRequests(3));
    await clock.advance(10_000);
    expect(await after).toMatchObject([
      { status: 'acquired' },
      { status: 'acquired' },
      { status: 'acquired' },
    ]);
    await clock.advance(100_000);
    const silent = { error: { code: 'BATCHLATCH_STORE_SILENT', isRetryable: true } };
    expect(await Promise.all(commits)).toMatchObject(requests.map(() => silent));
  });

  it('tells every claim of a request that hangs that nothing is known', async () => {
    const clock = manualClock();
    const client = table.newClient();
    const mock = mockClient(client);
    mock.onAnyCommand().callsFake(forever);
    const store = dynamoDBStore({ client, tableName: table.tableName, clock });
    const asking = store.acquire(claimRequests(2));
    await clock.advance(10_000);
    const silent = { status: 'error', error: { code: 'BATCHLATCH_STORE_SILENT', isRetryable: true } };
    expect(await asking).toMatchObject([silent, silent]);
    expect(mock.calls().map(({ args }) => (args as readonly unknown[])[1])).toEqual([
      { abortSignal: expect.objectContaining({ aborted: true }) },
    ]);
  });

  it('gives up at once when its caller does, whether or not the client listens', async () => {
    const store = dynamoDBStore({
      client: { send: forever },
      tableName: table.tableName,
      clock: manualClock(),
    });
    const caller = new AbortController();
    const asking = store.acquire(claimRequests(1), { signal: caller.signal });
    caller.abort();
    expect(await asking).toMatchObject([{ status: 'error' }]);
  });
});
