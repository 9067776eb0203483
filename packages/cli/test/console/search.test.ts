import { describe, expect, it } from '@jest/globals';
import { memoryStore, type MemoryStore } from 'batchlatch/memory';
import { type Claim, type ClaimAdmin, inspectClaim, releaseClaim } from 'batchlatch/operations';
import { manualClock } from 'batchlatch/testing';
import type { ClaimDetailJson, ClaimsJson } from '../../src/console/api.ts';
import { claimRequest, settlementOf } from '../../../../test/support/claim-builders.ts';
import { replaced } from '../../../../test/support/replaced.ts';
import { consoles, type OpenConsole } from './consoles.ts';

const MESSAGE = '7f3c0d0e-5c1e-4f57-9d5c-0a1b2c3d4e5f';

/** A store that counts what is read of it. */
async function openShop(
  open: ReturnType<typeof consoles>,
  options: object = {},
): Promise<
  OpenConsole & { readonly memory: MemoryStore; readonly reads: string[]; readonly lists: number[] }
> {
  const memory: MemoryStore = memoryStore();
  const requests = [
    claimRequest('orders#v1:o-42', { recordId: MESSAGE, lockedBy: 'OrdersFunction 42 4f1c2d3e' }),
    claimRequest(`mails#v1:${MESSAGE}`),
    ...Array.from({ length: 2_000 }, (_, index) => claimRequest(`orders#v1:o-x${index}`)),
  ];
  await memory.acquire(requests);
  await memory.settle(requests.map((request) => settlementOf('complete', request)));
  const reads: string[] = [];
  const lists: number[] = [];
  const store: ClaimAdmin = replaced(memory, {
    read(key, how) {
      reads.push(key);
      return memory.read(key, how);
    },
    async list(query, how) {
      const page = await memory.list(query, how);
      lists.push(page.rowsRead);
      return page;
    },
  });
  return Object.assign(await open({ fill: async () => undefined, ...options, store }), {
    memory,
    reads,
    lists,
  });
}

describe('A search for any text', () => {
  const open = consoles();
  const search = ({ get }: OpenConsole, q: string, more = ''): Promise<ClaimsJson> =>
    get(`/api/claims?by=any&q=${encodeURIComponent(q)}${more}`);
  const keysOf = ({ claims }: ClaimsJson): string[] => claims.map(({ key }) => key);

  it('finds a whole key by one read, and lists nothing', async () => {
    const shop = await openShop(open);
    const found = await search(shop, 'orders#v1:o-42');
    expect([keysOf(found), found.isExact, found.rowsRead]).toEqual([['orders#v1:o-42'], true, 1]);
    expect([shop.reads, shop.lists]).toEqual([['orders#v1:o-42'], []]);
  });

  it('finds an order whose key holds a type, once it has seen the type', async () => {
    const shop = await openShop(open);
    const requests = ['o-1', 'o-2'].map((id) => claimRequest(`shop#t1:OrderPlaced:${id}`));
    await shop.memory.acquire(requests);
    await search(shop, 'shop#t1:OrderPlaced:o-1');
    const found = await search(shop, 'o-2');
    expect([keysOf(found), shop.lists]).toEqual([['shop#t1:OrderPlaced:o-2'], []]);
    expect(found.claims).toMatchObject([{ type: 'OrderPlaced' }]);
  });

  it('finds an order by a read in each namespace that was named, without a list', async () => {
    const shop = await openShop(open, { namespaces: ['mails', 'orders'] });
    const found = await search(shop, 'o-42');
    expect([keysOf(found), found.isExact]).toEqual([['orders#v1:o-42'], true]);
    expect([shop.reads.toSorted(), shop.lists]).toEqual([['mails#v1:o-42', 'o-42', 'orders#v1:o-42'], []]);
  });

  it('learns the namespaces from the claims that were shown, or from one page', async () => {
    const shop = await openShop(open);
    expect(keysOf(await search(shop, 'o-x1999'))).toEqual(['orders#v1:o-x1999']);
    expect(shop.lists).toHaveLength(1);
    expect(keysOf(await search(shop, 'o-x1998'))).toEqual(['orders#v1:o-x1998']);
    expect(shop.lists).toHaveLength(1);
  });

  it('finds an order beside rows of its name that cannot be read as claims', async () => {
    const shop = await openShop(open, { namespaces: ['mails', 'orders'] });
    const [claim] = (await shop.memory.list({ keyPrefix: 'orders#v1:o-42' })).claims;
    const newer = 'COMPLETED@2:9.0.0' as 'COMPLETED';
    await shop.memory.adopt?.([
      { ...(claim as Claim), key: 'o-42', status: newer },
      { ...(claim as Claim), key: 'mails#v1:o-42', status: newer },
    ]);
    expect(keysOf(await search(shop, 'o-42'))).toEqual(['orders#v1:o-42']);
  });

  it.each([
    ['a message id that another claim stores', MESSAGE, ['mails#v1:' + MESSAGE, 'orders#v1:o-42']],
    ['the request id of an attempt', '4f1c2d3e', ['orders#v1:o-42']],
    ['nothing that there is', 'o-', []],
  ])('reads the table for %s', async (_what, text, expected) => {
    const shop = await openShop(open, { namespaces: ['other'] });
    const found = await search(shop, text, '&limit=1000');
    expect([keysOf(found).toSorted(), found.isExact]).toEqual([expected, undefined]);
    expect(shop.lists.length).toBeGreaterThan(0);
  });

  it('finds a message id by the claim of it that was shown', async () => {
    const shop = await openShop(open, { namespaces: ['other'] });
    await shop.get('/api/claim?key=orders%23v1%3Ao-42');
    const found = await search(shop, MESSAGE);
    expect([keysOf(found), found.isExact, shop.lists]).toEqual([['orders#v1:o-42'], true, []]);
  });

  it('keeps the state that is asked for', async () => {
    const shop = await openShop(open);
    expect(keysOf(await search(shop, 'orders#v1:o-42', '&state=parked'))).toEqual([]);
    expect(keysOf(await search(shop, 'orders#v1:o-42', '&state=completed'))).toEqual(['orders#v1:o-42']);
  });

  it('reads no key that no store could keep', async () => {
    const shop = await openShop(open, { namespaces: ['orders'] });
    const long = 'k'.repeat(2_048);
    await search(shop, long);
    expect(shop.reads.filter((key) => key !== long)).toEqual([]);
  });
});

describe('A claim that a person released', () => {
  const open = consoles();

  it('is listed as released until its next attempt, and says that it waits for its message', async () => {
    const clock = manualClock(Date.now());
    const store = memoryStore({ clock });
    const requests = ['released', 'failed'].map((id) => claimRequest(`orders#v1:${id}`));
    await store.acquire(requests);
    await store.settle(requests.map((request) => settlementOf('fail', request)));
    const claim = await inspectClaim(store, 'orders#v1:released');
    if (claim === undefined) throw new Error('There is no claim');
    await releaseClaim(store, claim, { operator: 'pat', reason: 'fixed' });
    const { get } = await open({ fill: async () => undefined, store, clock });
    const keys = async (query: string): Promise<string[]> =>
      (await get<ClaimsJson>(`/api/claims?${query}`)).claims.map(({ key }) => key).toSorted();
    expect(await keys('released=yes')).toEqual(['orders#v1:released']);
    expect(await keys('state=failed&released=no')).toEqual(['orders#v1:failed']);
    expect(await keys('state=failed')).toEqual(['orders#v1:failed', 'orders#v1:released']);
    const detail = await get<ClaimDetailJson>('/api/claim?key=orders%23v1%3Areleased');
    expect(detail).toMatchObject({
      claim: { releasedAt: new Date(clock.now()).toISOString() },
      next: { kind: 'message', at: new Date(clock.now()).toISOString() },
    });
  });
});
