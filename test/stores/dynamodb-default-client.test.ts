import { itself, inDynamoDB } from '../support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { describeClaimStore } from 'batchlatch/testing';
import { claimRequest, claimRequests, completion } from '../support/claim-builders.ts';
import { effectCounters } from '../support/effect-counters.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { type Traffic, watchTraffic } from '../support/transports.ts';

describe.each(['batch', 'single'] as const)('without a client, %s writes', (writes) => {
  const table = emulatedTable('dynoxide');
  const before = process.env['AWS_ENDPOINT_URL_DYNAMODB'];
  const effects = effectCounters();
  let traffic: Traffic;
  beforeAll(async () => {
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = table.endpoint;
    await effects.create(table.newClient());
    traffic = watchTraffic();
  });
  afterAll(() => {
    traffic.stop();
    if (before === undefined) delete process.env['AWS_ENDPOINT_URL_DYNAMODB'];
    else process.env['AWS_ENDPOINT_URL_DYNAMODB'] = before;
  });

  describeClaimStore(
    {
      name: 'dynamoDBStore, as the environment says,',
      admin: itself,
      create: (clock) => inDynamoDB({ tableName: table.tableName, writes, clock }),
      commit: effects,
    },
    { describe, it },
  );

  it("no request of all these was one of AWS's SDK", () => {
    expect(traffic.sent).toEqual({ direct: expect.any(Number), sdk: 0 });
    expect(traffic.sent.direct).toBeGreaterThan(100);
  });

  it('results come back character by character', async () => {
    const store = dynamoDBStore({ tableName: table.tableName, writes });
    const result = JSON.stringify({
      text: 'ä€😀 \u0000\n"\\/ \u2028',
      lone: '\uD800',
      number: 1e-7,
      none: null,
    });
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    expect(await store.settle([completion(request, result)])).toEqual(['stored']);
    expect(await store.inspect(request.key)).toMatchObject({ result });
  });

  it('errors are told apart as with any client', async () => {
    const missing = dynamoDBStore({ tableName: 'no-such-table', writes });
    expect(await missing.acquire(claimRequests(1))).toMatchObject([
      { status: 'error', error: { code: 'BATCHLATCH_TABLE_NOT_FOUND' } },
    ]);
    const store = dynamoDBStore({ tableName: table.tableName, writes });
    const [first, last] = claimRequests(2) as [never, never];
    for (const bad of ['', 'k'.repeat(2_049), 'k\uD800']) {
      expect(await store.acquire([claimRequest(bad), claimRequest(randomUUID())])).toMatchObject([
        { status: 'error', error: { isRetryable: false } },
        { status: 'acquired' },
      ]);
    }
    await store.acquire([first, last]);
    expect(
      await store.settle([completion(first, 'x'.repeat(420 * 1_024)), completion(last, '1')]),
    ).toMatchObject([{ error: { code: 'BATCHLATCH_ITEM_TOO_LARGE' } }, 'stored']);
  });
});
