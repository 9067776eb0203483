import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { cached, type ClaimStore, resultsIn } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import {
  forgetClaim,
  inspectClaim,
  isOperable,
  listClaims,
  operableStore,
  resolveClaim,
} from 'batchlatch/operations';
import { claimRequest, completion } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { memoryResultStorage } from '../support/memory-result-storage.ts';

const table = emulatedTable('dynoxide');
const BY = { operator: 'pat', reason: 'fixed' };

describe('operableStore', () => {
  it('gives a store of DynamoDB the methods for people that its functions do not carry', async () => {
    const store = dynamoDBStore({ client: table.newClient(), tableName: table.tableName });
    expect(store).not.toHaveProperty('list');
    expect(isOperable(store)).toBe(true);
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    const operable = operableStore(store);
    expect((await operable.list({ keyPrefix: request.key })).claims).toMatchObject([{ key: request.key }]);
    expect((await operable.count({ state: 'in-progress' })).count).toBeGreaterThan(0);
    expect(operable.place).toBe(store.place);
  });

  it('gives what a wrapper does of its own to what people do', async () => {
    const { storage, objects } = memoryResultStorage();
    const inner = dynamoDBStore({ client: table.newClient(), tableName: table.tableName });
    const store = cached(resultsIn({ ...storage, thresholdBytes: 10 }, inner), { max: 10 });
    expect(isOperable(store)).toBe(true);
    const request = claimRequest(randomUUID());
    await store.acquire([request]);
    await store.settle([completion(request)]);
    const seen = await inspectClaim(store, request.key);
    expect(await forgetClaim(store, seen as never, BY)).toEqual({ status: 'done' });
    const again = { ...request, owner: randomUUID() };
    expect(await store.acquire([again])).toMatchObject([{ status: 'acquired', attempt: 1 }]);

    const result = JSON.stringify('x'.repeat(50));
    const running = (await inspectClaim(store, request.key)) as never;
    const options = { ...BY, force: true, result };
    expect(await resolveClaim(store, running, options)).toMatchObject({ status: 'done' });
    expect([...objects.values()]).toEqual([result]);
    expect(await store.acquire([{ ...request, owner: randomUUID() }], { wantsResults: true })).toMatchObject([
      { status: 'duplicate', result },
    ]);
  });

  it('goes by the methods that a wrapper of the user has for some of it', async () => {
    const inner = dynamoDBStore({ client: table.newClient(), tableName: table.tableName });
    const request = claimRequest(randomUUID());
    await inner.acquire([request]);
    const wrapper = {
      ...inner,
      isLocked: true,
      async operate(): Promise<never> {
        throw new Error(`Nobody may change claims now: ${this.isLocked}`);
      },
    };
    for (const store of [wrapper, cached(wrapper, { max: 10 })]) {
      const operable = operableStore(store);
      await expect(operable.operate([])).rejects.toThrow('Nobody may change claims now: true');
      expect((await operable.list({ keyPrefix: request.key })).claims).toHaveLength(1);
    }
  });

  it('rejects the calls to a store whose table nobody names, and not before', async () => {
    const operable = operableStore(dynamoDBStore());
    await expect(operable.list({})).rejects.toThrow('set CLAIMS_TABLE_NAME');
    await expect(listClaims(dynamoDBStore())).rejects.toThrow('set CLAIMS_TABLE_NAME');
  });

  it('leaves a store with such methods as it is', async () => {
    const store = memoryStore();
    await store.acquire([claimRequest('k')]);
    expect((await operableStore(store).list({})).claims).toHaveLength(1);
  });

  it('refuses others, and the rows of a version that it does not know', async () => {
    const { list: _list, ...closed } = memoryStore();
    expect(isOperable(closed)).toBe(false);
    expect(() => operableStore(closed)).toThrow(/^This claim store cannot be operated on/);
    expect(() => operableStore(undefined as never)).toThrow(/^This claim store cannot be operated on/);
    const operated = Symbol.for('batchlatch.operated');
    const other = { ...closed, [operated]: (by: (kind: string) => unknown) => by('other') } as ClaimStore;
    await expect(operableStore(other).list({})).rejects.toMatchObject({ code: 'BATCHLATCH_CONFIGURATION' });
  });
});
