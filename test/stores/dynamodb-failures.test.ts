import { randomUUID } from 'node:crypto';
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { type BatchEvent, type ClaimStore, createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { manualClock, sqsEvent } from 'batchlatch/testing';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import { byOthers, claimRequest, claimRequests, completion } from '../support/claim-builders.ts';
import { emulatorClient } from '../support/claims-table.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { awsException, failStatements } from '../support/sdk-traffic.ts';
import { keyHash } from '../../src/base/key-hash.ts';

for (const writes of ['batch', 'single'] as const) {
  describe(`dynamoDBStore in trouble, with ${writes} writes`, () => {
    const table = emulatedTable('dynoxide');
    const open = (
      client: DynamoDBClient = table.newClient(),
      tableName: string = table.tableName,
    ): ClaimStore => dynamoDBStore({ client, tableName, writes });

    describe('without its table', () => {
      const missing = {
        code: 'BATCHLATCH_TABLE_NOT_FOUND',
        isRetryable: false,
        message: expect.stringMatching(
          /no table `no-such-table` .* Create it .* CLAIMS_TABLE_NAME or `tableName`/,
        ),
      };

      it('says for every claim which table is missing, and what to do', async () => {
        const store = open(undefined, 'no-such-table');
        const [first, again] = [claimRequest('a'), claimRequest('b', { isRedelivery: true })];
        expect(await store.acquire([first, again])).toMatchObject([
          { status: 'error', error: missing },
          { status: 'error', error: missing },
        ]);
        expect(await store.settle([completion(first)])).toMatchObject([{ error: missing }]);
        expect(await store.extend([first])).toMatchObject([{ error: missing }]);
        await expect(store.inspect('a')).rejects.toMatchObject(missing);
      });

      it('hands every record back, and starts none', async () => {
        const events: BatchEvent[] = [];
        const processor = createBatchProcessor(() => expect(true).toBe(false), {
          store: open(undefined, 'no-such-table'),
          observer: { onEvent: (event) => events.push(event) },
        });
        expect(await processor(sqsEvent([{ messageId: 'm', body: {} }]))).toEqual({
          batchItemFailures: [{ itemIdentifier: 'm' }],
        });
        expect(events).toContainEqual(
          expect.objectContaining({ type: 'claimFailed', error: expect.objectContaining(missing) }),
        );
      });
    });

    it.each([
      ['is longer than DynamoDB takes', 'k'.repeat(2_049)],
      ['is empty', ''],
      ['has half a surrogate pair', 'k\uD800'],
    ])('one key that %s does not fail its neighbours', async (_what, badKey) => {
      for (const isRedelivery of [false, true]) {
        const [first, bad, last] = claimRequests(3, { isRedelivery }) as [never, never, never];
        const requests = [first, { ...(bad as object), key: badKey } as typeof bad, last];
        expect(await open().acquire(requests)).toMatchObject([
          { status: 'acquired' },
          { status: 'error', error: { code: 'BATCHLATCH_STORE', isRetryable: false } },
          { status: 'acquired' },
        ]);
        expect(await open().settle(requests.map((request) => completion(request)))).toMatchObject([
          'stored',
          { error: { isRetryable: false } },
          'stored',
        ]);
      }
    });

    it('one row that is no claim does not fail its neighbours, and is left alone', async () => {
      const client = table.newClient();
      const requests = claimRequests(3);
      const foreign = { id: { S: (requests[1] as { key: string }).key }, total: { N: '3' } };
      await client.send(new PutItemCommand({ TableName: table.tableName, Item: foreign }));
      expect(await open(client).acquire(requests)).toMatchObject([
        { status: 'acquired' },
        {
          status: 'error',
          error: {
            code: 'BATCHLATCH_NOT_A_CLAIM',
            message: expect.stringMatching(
              new RegExp(`hash ${keyHash((requests[1] as { key: string }).key)} .* used by batchlatch alone`),
            ),
          },
        },
        { status: 'acquired' },
      ]);
      expect(await open(client).settle(requests.map((request) => completion(request)))).toEqual([
        'stored',
        'lost',
        'stored',
      ]);
      expect(await table.rowOf(foreign.id.S)).toEqual(foreign);
    });

    it.each([
      [
        'UnrecognizedClientException',
        'The security token included in the request is invalid.',
        'BATCHLATCH_CREDENTIALS',
      ],
      [
        'ExpiredTokenException',
        'The security token included in the request is expired',
        'BATCHLATCH_CREDENTIALS',
      ],
      ['CredentialsProviderError', 'Could not load credentials from any providers', 'BATCHLATCH_CREDENTIALS'],
      ['AccessDeniedException', 'You are not allowed', 'BATCHLATCH_ACCESS_DENIED'],
    ])('%s is said in words, and is not worth trying again', async (name, message, code) => {
      const client = table.newClient();
      mockClient(client).rejects(awsException(name, message));
      const [request] = claimRequests(1) as [never];
      const error = { code, isRetryable: false, message: expect.stringContaining(message) };
      expect(await open(client).acquire([request])).toMatchObject([{ status: 'error', error }]);
      expect(await open(client).settle([completion(request)])).toMatchObject([{ error }]);
      await expect(open(client).inspect('k')).rejects.toMatchObject(error);
    });

    it('does not blame DynamoDB where no credentials were found to ask it with', async () => {
      const client = table.newClient();
      const message = 'The SSO session token was not found: run `aws sso login`';
      mockClient(client).rejects(awsException('CredentialsProviderError', message));
      const error = {
        code: 'BATCHLATCH_CREDENTIALS',
        message: `No credentials for DynamoDB: ${message}`,
      };
      expect(await open(client).acquire(claimRequests(1))).toMatchObject([{ status: 'error', error }]);
    });

    it.each([
      ['ThrottlingException', {}],
      ['ProvisionedThroughputExceededException', {}],
      ['RequestLimitExceeded', {}],
      ['InternalServerError', {}],
      ['ServiceUnavailable', { $fault: 'server' }],
      ['TimeoutError', {}],
      ['Error', { code: 'ECONNRESET' }],
      ['Error', { code: 'EAI_AGAIN' }],
    ])('%s %j passes: the same may be asked later', async (name, members) => {
      const client = table.newClient();
      mockClient(client).rejects(Object.assign(awsException(name, 'later'), members));
      const [request] = claimRequests(1) as [never];
      const error = { code: 'BATCHLATCH_STORE', isRetryable: true };
      expect(await open(client).acquire([request])).toMatchObject([{ status: 'error', error }]);
      expect(await open(client).settle([completion(request)])).toMatchObject([{ error }]);
    });

    it('a DynamoDB that is gone is an error of every claim', async () => {
      const service = await startDynamoDBEmulator('dynoxide');
      const client = emulatorClient(service.endpoint);
      await service.stop();
      try {
        const outcomes = await open(client).acquire(claimRequests(2));
        const error = { code: 'BATCHLATCH_STORE', message: expect.stringContaining('ECONNREFUSED') };
        expect(outcomes).toMatchObject([
          { status: 'error', error },
          { status: 'error', error },
        ]);
      } finally {
        client.destroy();
      }
    });

    it('a call whose time is over before it begins writes nothing', async () => {
      const client = table.newClient();
      const [request] = claimRequests(1) as [never];
      const options = { signal: AbortSignal.abort() };
      expect(await open(client).acquire([request], options)).toMatchObject([{ status: 'error' }]);
      expect(await open(client).settle([completion(request)], options)).toMatchObject([
        { error: expect.any(Error) },
      ]);
      expect(await table.rowOf((request as { key: string }).key)).toBeUndefined();
    });
  });
}

describe('statements that are tried again', () => {
  const table = emulatedTable('dynoxide');

  it('wait longer from time to time, by full jitter, and end when the time is over', async () => {
    const clock = manualClock();
    const client = table.newClient();
    const sizes = failStatements(client, () => ({ Code: 'ThrottlingError', Message: 'slow down' }));
    const store = dynamoDBStore({ client, tableName: table.tableName, clock, random: () => 0.5 });
    const controller = new AbortController();
    const outcome = store.acquire(claimRequests(1), { signal: controller.signal });
    for (const [waitMs, sent] of [
      [25, 1],
      [50, 2],
      [100, 3],
    ] as const) {
      await clock.advance(waitMs - 1);
      expect(sizes).toHaveLength(sent);
      await clock.advance(1);
      expect(sizes).toHaveLength(sent + 1);
    }
    controller.abort();
    expect(await outcome).toMatchObject([{ status: 'error', error: { isRetryable: true } }]);
    expect(sizes).toHaveLength(4);
  });

  it('do not hold up the next call', async () => {
    const clock = manualClock();
    const client = table.newClient();
    const [sick, well] = claimRequests(2) as [never, never];
    failStatements(client, ({ Parameters = [] }) =>
      Parameters.some(({ S }) => S === (sick as { key: string }).key)
        ? { Code: 'ThrottlingError', Message: 'slow down' }
        : undefined,
    );
    const store = dynamoDBStore({ client, tableName: table.tableName, clock });
    const controller = new AbortController();
    const held = store.acquire([sick], { signal: controller.signal });
    expect(await store.acquire([well])).toMatchObject([{ status: 'acquired' }]);
    expect(await store.acquire(byOthers([well]))).toMatchObject([{ status: 'conflict' }]);
    controller.abort();
    await held;
  });
});

describe('batch and single writes', () => {
  const table = emulatedTable('dynoxide');

  it('share one table: what one has written the other reads', async () => {
    const key = randomUUID();
    const open = (writes: 'batch' | 'single'): ClaimStore =>
      dynamoDBStore({ client: table.newClient(), tableName: table.tableName, writes });
    const [batch, single] = [open('batch'), open('single')];
    const request = claimRequest(key);
    await batch.acquire([request]);
    expect(await single.acquire([claimRequest(key)])).toMatchObject([{ status: 'conflict' }]);
    expect(await single.settle([completion(request, '1')])).toEqual(['stored']);
    expect(await batch.acquire([claimRequest(key)])).toMatchObject([{ status: 'duplicate', result: '1' }]);
  });
});
