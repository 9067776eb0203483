import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import {
  type ClaimStore,
  createBatchProcessor,
  payloadHash,
  PermanentError,
  type RecordHandler,
} from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { lambdaContext, type ManualClock, manualClock, sqsEvent } from 'batchlatch/testing';
import { defaultAttributeNames, rowFormat } from '../../src/stores/dynamodb/row.ts';
import { claimRequest, completion, LEASE_MS, RETENTION_MS, settlementOf } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';

it.each(['[null]', '["text"]', '{}', 'no JSON'])('A row with the history %s reads as one without', (text) => {
  const row = { id: { S: 'k' }, owner: { S: 'o' }, status: { S: 'COMPLETED' }, history: { S: text } };
  expect(rowFormat(defaultAttributeNames).toClaim(row).history).toBeUndefined();
});

for (const writes of ['batch', 'single'] as const) {
  describe(`a row, with ${writes} writes`, () => {
    const table = emulatedTable('dynoxide');

    function open(): { clock: ManualClock; store: ClaimStore; key: string } {
      const clock = manualClock();
      const store = dynamoDBStore({ client: table.newClient(), tableName: table.tableName, writes, clock });
      return { clock, store, key: randomUUID() };
    }

    it.each([0, 1, 999])('tells the TTL in whole epoch seconds, never early (%d ms past one)', async (ms) => {
      const { clock, store, key } = open();
      await clock.advance(ms);
      const request = claimRequest(key);
      const ttl = async (): Promise<number> => Number((await table.rowOf(key))?.['expiresAt']?.N);

      await store.acquire([request]);
      expect(await ttl()).toBe(Math.ceil((clock.now() + LEASE_MS + RETENTION_MS) / 1_000));
      await clock.advance(1);
      await store.extend([{ ...request, leaseMs: 2 * LEASE_MS }]);
      expect(await ttl()).toBe(Math.ceil((clock.now() + 2 * LEASE_MS + RETENTION_MS) / 1_000));
      await store.settle([completion(request)]);
      expect(await ttl()).toBe(Math.ceil((clock.now() + RETENTION_MS) / 1_000));
    });

    it.each(['complete', 'fail', 'park', 'release'] as const)(
      'never lacks a TTL, however its claim ends: %s',
      async (end) => {
        const { clock, store, key } = open();
        const request = claimRequest(key);
        await store.acquire([request]);
        await clock.advance(1_000);
        await store.settle([settlementOf(end, request)]);
        const seconds = Math.ceil((clock.now() + RETENTION_MS) / 1_000);
        expect((await table.rowOf(key))?.['expiresAt']).toEqual({ N: String(seconds) });
      },
    );

    it('keeps every other time in milliseconds', async () => {
      const { clock, store, key } = open();
      const startedAt = clock.now();
      const request = claimRequest(key);
      await store.acquire([request]);
      await clock.advance(1_234);
      await store.settle([completion(request)]);
      expect(await table.rowOf(key)).toMatchObject({
        createdAt: { N: String(startedAt) },
        leaseUntil: { N: String(startedAt + LEASE_MS) },
        updatedAt: { N: String(startedAt + 1_234) },
        completedAt: { N: String(startedAt + 1_234) },
      });
    });

    it('keeps the owner and the attempt of who completed it', async () => {
      const { store, key } = open();
      const request = claimRequest(key);
      await store.acquire([request]);
      await store.settle([completion(request, '{"total":3}')]);
      expect(await table.rowOf(key)).toMatchObject({
        owner: { S: request.owner },
        attempt: { N: '1' },
        result: { S: '{"total":3}' },
      });
    });

    it('shows an error by name, message and code', async () => {
      const { clock, store, key } = open();
      const fail: RecordHandler = () =>
        Promise.reject(Object.assign(new TypeError('no total'), { code: 'E_TOTAL' }));
      const processor = createBatchProcessor(fail, { store, clock, namespace: key, observer: SILENT });
      await processor(sqsEvent([{ messageId: 'm', body: {} }]));
      expect((await table.rowOf(`${key}#v1:m`))?.['error']).toEqual({
        M: { name: { S: 'TypeError' }, message: { S: 'no total' }, code: { S: 'E_TOTAL' } },
      });
    });

    it.each<[string, RecordHandler]>([
      ['COMPLETED', () => ({ orderId: randomUUID(), receipt: 'x'.repeat(100) })],
      ['FAILED', () => Promise.reject(new Error('the payment provider did not answer in time: '.repeat(3)))],
      ['PARKED', () => Promise.reject(new PermanentError('no such customer'))],
    ])('stays under 1 KB on the usual path: %s costs one write unit', async (status, handler) => {
      const { clock, store } = open();
      const functionName = `${randomUUID()}-${'f'.repeat(27)}`; // Lambda's longest: 64
      let row: Record<string, AttributeValue> | undefined;
      const options = {
        store,
        clock,
        key: payloadHash(),
        payloadValidation: payloadHash({ include: ['total'] }),
        observer: SILENT,
      };
      let key = '';
      const processor = createBatchProcessor(async (record, context) => {
        key = context.idempotencyKey;
        row = await table.rowOf(key);
        return handler(record, context);
      }, options);
      await processor(sqsEvent([{ body: { total: 1 } }]), lambdaContext({ functionName, clock }));
      expect(sizeOf(row)).toBeLessThan(1_024);
      const settled = await table.rowOf(key);
      expect(settled?.['status']).toEqual({ S: status });
      expect(sizeOf(settled)).toBeLessThan(1_024);
    });
  });
}

const SILENT = { onEvent: () => undefined };

/** An item's size as DynamoDB counts it: names and values in UTF-8, numbers by their digits. */
function sizeOf(row: Record<string, AttributeValue> = {}): number {
  return Object.entries(row).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfValue(value),
    0,
  );
}

function sizeOfValue({ S, N, M }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return Math.ceil(N.length / 2) + 2;
  if (M === undefined) return 1;
  return 3 + Object.keys(M).length + sizeOf(M);
}
