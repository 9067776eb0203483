import { describe, expect, it, jest } from '@jest/globals';
import {
  type BatchProcessorOptions,
  type ClaimStore,
  createBatchProcessor,
  payloadHash,
  snsEnvelope,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { emulatedTable } from '../support/emulated-table.ts';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { failed } from './bench.ts';

const quiet = { observer: { onEvent: () => undefined } };
const orderO1 = sqsEvent([{ messageId: 'm1', body: { orderId: 'o1' } }]);
const refundO1 = sqsEvent([{ messageId: 'm2', body: { refundOf: 'o1' } }]);
const lambda = lambdaContext({ functionName: 'payments' });

const byBody = ({ body }: { body: unknown }): string => Object.values(body as object).join();
const shared = {
  code: 'BATCHLATCH_CONFIGURATION',
  message: expect.stringMatching(/default namespace `payments`.*set `namespace`/),
};

describe('Two processors in one function', () => {
  const table = emulatedTable('dynoxide');

  it.each<[string, () => { readonly store: ClaimStore }]>([
    [
      'one store',
      () => {
        const store = memoryStore();
        return { store };
      },
    ],
    [
      'two stores on one table',
      () => ({
        get store() {
          return dynamoDBStore({ tableName: table.tableName, client: table.newClient() });
        },
      }),
    ],
  ])(
    'cannot share the default namespace on %s: the refund of o1 is not the charge of o1',
    async (_, make) => {
      const place = make();
      const options = { ...quiet, key: byBody };
      const runs: string[] = [];
      const charge = createBatchProcessor(() => void runs.push('charge'), { ...options, store: place.store });
      const refund = createBatchProcessor(() => void runs.push('refund'), { ...options, store: place.store });
      expect(failed(await charge(orderO1, lambda))).toEqual([]);
      await expect(refund(refundO1, lambda)).rejects.toMatchObject(shared);
      expect(runs).toEqual(['charge']);
      expect(failed(await charge(orderO1, lambda))).toEqual([]); // the first goes on
      const named = createBatchProcessor(() => void runs.push('refund'), {
        ...options,
        store: place.store,
        namespace: 'refund',
      });
      expect(failed(await named(refundO1, lambda))).toEqual([]);
      expect(runs).toEqual(['charge', 'refund']);
    },
  );

  it('are refused before the observer is told of an invocation, which would have no end', async () => {
    const begun: string[] = [];
    const observer = { onEvent: () => undefined, onInvocation: () => void begun.push('begun') };
    const options = { store: memoryStore(), key: byBody, observer };
    await createBatchProcessor(() => undefined, options)(orderO1, lambda);
    await expect(createBatchProcessor(() => undefined, options)(refundO1, lambda)).rejects.toMatchObject(
      shared,
    );
    expect(begun).toEqual(['begun']);
  });

  it('keep values of different names apart even in one namespace', async () => {
    const store = memoryStore();
    const runs: string[] = [];
    const of = (path: string): BatchProcessorOptions => ({
      ...quiet,
      store,
      namespace: 'payments',
      key: payloadHash({ include: [path] }),
    });
    await createBatchProcessor(() => void runs.push('charge'), of('orderId'))(orderO1);
    await createBatchProcessor(() => void runs.push('refund'), of('refundOf'))(refundO1);
    expect(runs).toEqual(['charge', 'refund']);
  });

  it('may share it where keys are the ids of messages, which no two queues share', async () => {
    const store = memoryStore();
    for (const event of [orderO1, refundO1]) {
      expect(failed(await createBatchProcessor(() => 'done', { ...quiet, store })(event, lambda))).toEqual(
        [],
      );
    }
  });

  it('may not where the id is that of an envelope, which many queues get', async () => {
    const store = memoryStore();
    const options = { ...quiet, store, decode: snsEnvelope() };
    await createBatchProcessor(() => 'done', options)(sqsEvent([]), lambda);
    await expect(createBatchProcessor(() => 'done', options)(sqsEvent([]), lambda)).rejects.toMatchObject(
      shared,
    );
  });

  it('do not meet in stores that have nothing in common, nor in functions with names of their own', async () => {
    const options = { ...quiet, key: byBody };
    const store = memoryStore();
    await createBatchProcessor(() => 'done', { ...options, store })(orderO1, lambda);
    await createBatchProcessor(() => 'done', { ...options, store: memoryStore() })(orderO1, lambda);
    const other = lambdaContext({ functionName: 'refunds' });
    await createBatchProcessor(() => 'done', { ...options, store })(refundO1, other);
  });

  it('of two copies of this package share it on one store alone', async () => {
    const options = { ...quiet, key: byBody };
    const store = memoryStore();
    await createBatchProcessor(() => 'done', { ...options, store })(orderO1, lambda);

    jest.resetModules();
    const copy = { ...(await import('batchlatch')), ...(await import('batchlatch/memory')) };
    expect(copy.createBatchProcessor).not.toBe(createBatchProcessor);
    const inCopy = (own: ClaimStore) => copy.createBatchProcessor(() => 'done', { ...options, store: own });
    for (const own of Array.from({ length: 30 }, () => copy.memoryStore())) {
      expect(failed(await inCopy(own)(orderO1, lambda))).toEqual([]);
    }
    await expect(inCopy(store)(refundO1, lambda)).rejects.toMatchObject(shared);
  });
});
