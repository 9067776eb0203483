import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { systemClock } from '../../src/base/clock.ts';
import { boundedAdmin } from '../../src/claims/bounded-admin.ts';
import { inDynamoDB, type StoreAndAdmin } from '../support/store-and-admin.ts';
import { describe, expect, it } from '@jest/globals';
import type { Claim, ClaimRequest } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import {
  type ClaimPage,
  type ClaimSearch,
  claimStatistics,
  eachClaim,
  findClaims,
  forgetClaim,
  keyHash,
  listClaims,
  resolveClaim,
} from 'batchlatch/operations';
import { manualClock } from 'batchlatch/testing';
import {
  claimRequest,
  claimRequests,
  completion,
  LEASE_MS,
  settlementOf,
} from '../support/claim-builders.ts';
import { LEASE_ATTRIBUTES } from '../support/claims-table.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { watchRequests } from '../support/sdk-traffic.ts';

const BY = { operator: 'pat', reason: 'test' };

async function allOf(store: StoreAndAdmin, search: ClaimSearch): Promise<Claim[]> {
  const claims: Claim[] = [];
  let cursor: string | undefined;
  do {
    const page: ClaimPage = await findClaims(store, search, cursor === undefined ? {} : { cursor });
    claims.push(...page.claims);
    cursor = page.next;
  } while (cursor !== undefined);
  return claims;
}

describe.each(['memory', 'a scan', 'the index'])('Claims are found, by %s,', (how) => {
  const table = emulatedTable('dynoxide', { leaseUntil: LEASE_ATTRIBUTES.own });

  async function open() {
    const clock = manualClock();
    const client = table.newClient();
    const { tableName } = table;
    const store =
      how === 'memory'
        ? memoryStore({ clock })
        : inDynamoDB({ client, tableName, clock, overdueIndex: how === 'the index' });
    const others = claimRequests(20);
    const mine = others[7] as ClaimRequest;
    const message = `${mine.key}-message`;
    const wanted = claimRequest(`${mine.key}-business`, { recordId: message });
    const byMessage = claimRequest(`other#v1:${message}`, { recordId: message });
    await store.acquire([...others, wanted, byMessage]);
    await store.settle([
      completion(wanted),
      settlementOf('park', byMessage),
      ...others.slice(0, 5).map((request) => settlementOf('fail', request)),
    ]);
    return { store, client, mine, wanted, byMessage, message };
  }

  it('by their keys, and by the hash that log lines show', async () => {
    const { store, mine, wanted } = await open();
    for (const { key } of [mine, wanted]) {
      for (const search of [{ key }, { keyHash: keyHash(key) }, { keyHash: keyHash(key).toUpperCase() }]) {
        expect((await allOf(store, search)).map((claim) => claim.key)).toEqual([key]);
      }
    }
    expect(await allOf(store, { key: `${mine.key}-no` })).toEqual([]);
    expect(await allOf(store, { keyHash: '0123456789abcdef' })).toEqual([]);
  });

  it('by the record that claimed them last, and by keys that end with it', async () => {
    const { store, wanted, byMessage, message } = await open();
    const found = new Set((await allOf(store, { recordId: message })).map(({ key }) => key));
    expect(found).toEqual(new Set([wanted.key, byMessage.key]));
  });

  it('but not by a part of the id of the record', async () => {
    const { store, message } = await open();
    expect(await allOf(store, { recordId: message.slice(1) })).toEqual([]);
    expect(await allOf(store, { recordId: 'message' })).toEqual([]);
  });

  it('by a text that is a whole key, with one read, although other keys contain it', async () => {
    const { store, client, mine, wanted } = await open();
    await store.acquire([claimRequest(`copy:${mine.key}`)]);
    const sent = watchRequests(client);
    const { claims, next, rowsRead } = await findClaims(store, { text: mine.key });
    expect([claims.map(({ key }) => key), next, rowsRead]).toEqual([[mine.key], undefined, 1]);
    if (how !== 'memory') expect(sent.map(({ operation }) => operation)).toEqual(['BatchGetItem']);
    expect(wanted.key).toContain(mine.key);
  });

  it('by a whole part of their keys, their hash, record or request, but not by the rest of a word', async () => {
    const { store, byMessage, message } = await open();
    const request = claimRequest('shop#v1:["tenant-1","o-42"]', {
      lockedBy: 'OrdersFunction 42 4f1c2d3e',
      recordId: 'm-7',
    });
    await store.acquire([request, claimRequest('shop#v1:["tenant-1","o-421"]')]);
    for (const text of ['o-42', 'm-7', '4f1c2d3e', keyHash(request.key), 'shop#v1:["tenant-1","o-42"']) {
      expect((await allOf(store, { text })).map(({ key }) => key)).toEqual([request.key]);
    }
    expect(await allOf(store, { text: 'tenant-1' })).toHaveLength(2);
    expect((await allOf(store, { text: message })).map(({ key }) => key)).toContain(byMessage.key);
    for (const text of ['o-4', '-42', 'tenant', '4f1c2d3']) {
      expect(await allOf(store, { text })).toEqual([]);
    }
  });

  it('by a text that is the name of a foreign row too, or longer than any key', async () => {
    const { store, client } = await open();
    const request = claimRequest('shop#v1:config');
    await store.acquire([request]);
    if (how !== 'memory')
      await client.send(new PutItemCommand({ TableName: table.tableName, Item: { id: { S: 'config' } } }));
    expect((await allOf(store, { text: 'config' })).map(({ key }) => key)).toEqual([request.key]);
    expect(await allOf(store, { text: 'k'.repeat(2_049) })).toEqual([]);
  });

  it('by the beginning of their keys', async () => {
    const { store, mine } = await open();
    const prefix = mine.key.split('#')[0] as string;
    expect(await allOf(store, { keyPrefix: prefix })).toHaveLength(21);
    const keys: string[] = [];
    for await (const { key } of eachClaim(store, { keyPrefix: prefix, limit: 4 })) keys.push(key);
    expect(new Set(keys).size).toBe(21);
    expect((await listClaims(store, { keyPrefix: prefix, limit: 1 })).claims).toHaveLength(1);
  });

  it('without a scan where the index has them', async () => {
    const { store, client, mine } = await open();
    const sent = watchRequests(client);
    const page = await findClaims(store, { keyHash: keyHash(mine.key) });
    expect(page.claims).toMatchObject([{ key: mine.key }]);
    expect(page.next).toBeUndefined();
    expect(sent.some(({ operation }) => operation === 'Scan')).toBe(how === 'a scan');
    if (how !== 'memory') expect(page.readUnits).toBeGreaterThan(0);
  });
});

it.each<[unknown, unknown, RegExp]>([
  [{ keyHash: 'abc' }, {}, /16 hexadecimal digits/],
  [{ keyHash: '' }, {}, /`keyHash` to be a non-empty string/],
  [{ recordId: '' }, {}, /`recordId` to be a non-empty string/],
  [{ key: 7 }, {}, /`key` to be a non-empty string/],
  [{ text: '' }, {}, /`text` to be a non-empty string/],
  [{ keyPrefix: '' }, {}, /`keyPrefix` to be a non-empty string/],
  [{ recordId: 'm' }, { limit: 0 }, /`limit` to be an integer from 1 to 1000/],
  [{ recordId: 'm' }, { cursor: 'nothing' }, /`cursor` to be the `next` of a page/],
  [{ recordId: 'm' }, { cursor: Buffer.from('[9,null]').toString('base64url') }, /`cursor`/],
])('A search that cannot be is refused: %j %j', async (search, options, message) => {
  await expect(findClaims(memoryStore(), search as never, options as never)).rejects.toThrow(message);
});

describe('Statistics', () => {
  async function lived() {
    const clock = manualClock();
    const store = memoryStore({ clock });
    const named = (name: string): ClaimRequest => claimRequest(`s#${name}`, { owner: name });
    const times = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    for (const time of times) {
      await store.acquire([named(`run-${time}`)]);
      await clock.advance(time * 100);
      await store.settle([completion(named(`run-${time}`))]);
    }
    // Fails, and is tried again after 5 seconds.
    await store.acquire([named('again')]);
    await store.settle([settlementOf('fail', named('again'))]);
    await clock.advance(5_000);
    await store.acquire([named('again')]);
    await clock.advance(2_000);
    await store.settle([completion(named('again'))]);
    await store.acquire([named('oldest')]);
    await clock.advance(10);
    await store.acquire([named('overdue'), named('parked'), named('failed'), named('by hand')]);
    await store.settle([
      settlementOf('park', named('parked')),
      settlementOf('fail', named('failed')),
      settlementOf('park', named('by hand')),
    ]);
    await clock.advance(LEASE_MS);
    await store.acquire([named('in progress')]);
    const claim = (await store.inspect('s#by hand')) as Claim;
    await resolveClaim(store, claim, BY);
    return { clock, store };
  }

  it('tell states, the oldest overdue claim, and how long keys waited and ran', async () => {
    const { clock, store } = await lived();
    expect(await claimStatistics(store, { clock })).toEqual({
      counts: { 'in-progress': 1, overdue: 2, failed: 1, parked: 1, completed: 12 },
      parkedKinds: { lapsed: 0, failed: 1, attempts: 0, done: 0 },
      oldestOverdue: await store.inspect('s#oldest'),
      waitingMs: { count: 12, min: 0, median: 0, p95: 5_000, max: 5_000 },
      runningMs: { count: 11, min: 100, median: 600, p95: 2_000, max: 2_000 },
      attempts: { count: 17, min: 1, median: 1, p95: 2, max: 2 },
      isWhole: true,
      rowsRead: 17,
    });
  });

  it('tell over time when claims ended, where it is asked', async () => {
    const { clock, store } = await lived();
    const { periods = [], counts } = await claimStatistics(store, { clock, periodMs: 1_000 });
    expect(periods.length).toBeGreaterThan(2);
    expect(periods.map(({ from }) => from)).toEqual(
      periods.map(({ from }) => from - (from % 1_000)).toSorted((one, other) => one - other),
    );
    for (const state of ['completed', 'failed', 'parked'] as const) {
      expect(periods.reduce((sum, period) => sum + period[state], 0)).toBe(counts[state]);
    }
    const last = await store.inspect('s#by hand');
    expect(periods.at(-1)).toEqual({
      from: (last?.completedAt ?? 0) - ((last?.completedAt ?? 0) % 1_000),
      completed: 1,
      failed: 0,
      parked: 0,
      waitingMs: { count: 1, min: 0, median: 0, p95: 0, max: 0 },
    });
    await expect(claimStatistics(store, { periodMs: 0 })).rejects.toThrow(/Expected `periodMs`/);
  });

  it('say whether they are of everything, and go on', async () => {
    const { clock, store } = await lived();
    const progress: number[] = [];
    const onProgress = ({ claims }: { readonly claims: number }): void => void progress.push(claims);
    const first = await claimStatistics(store, { clock, limit: 10, onProgress });
    expect(first).toMatchObject({ isWhole: false, rowsRead: 10, attempts: { count: 10 } });
    const rest = await claimStatistics(store, { clock, cursor: first.next as string, onProgress });
    expect(rest).toMatchObject({ isWhole: false, attempts: { count: 7 } });
    expect(rest.next).toBeUndefined();
    expect(progress).toEqual([10, 7]);
  });

  it('are of the keys of a prefix, and of nothing', async () => {
    const { clock, store } = await lived();
    const some = await claimStatistics(store, { clock, keyPrefix: 's#run-1' });
    expect(some.counts.completed).toBe(2);
    const none = await claimStatistics(store, { clock, keyPrefix: 'nobody#' });
    expect(none).toMatchObject({ isWhole: true, counts: { completed: 0 } });
    expect(none).not.toHaveProperty('runningMs');
  });

  it('refuse options that cannot work', async () => {
    await expect(claimStatistics(memoryStore(), { limit: 0 })).rejects.toThrow(
      /claimStatistics: Expected `limit`/,
    );
    await expect(claimStatistics(memoryStore(), { max: 1 } as never)).rejects.toThrow(/Unknown option `max`/);
  });
});

it('a call that nobody answers ends', async () => {
  const memory = memoryStore();
  const unlisted = { ...memory, list: () => new Promise<never>(() => undefined) };
  const store = boundedAdmin(unlisted, systemClock);
  const controller = new AbortController();
  const listing = listClaims(store, {}, { signal: controller.signal });
  controller.abort();
  await expect(listing).rejects.toMatchObject({ code: 'BATCHLATCH_STORE_SILENT', isRetryable: true });
  const claim = { key: 'k', status: 'PARKED', owner: 'o', attempt: 1 } as const;
  const unchanged = { ...memory, change: () => new Promise<never>(() => undefined) };
  const silent = boundedAdmin(unchanged, systemClock);
  const forgetting = forgetClaim(silent, claim, { ...BY, signal: AbortSignal.timeout(10) });
  expect(await forgetting).toMatchObject({ status: 'error', error: { code: 'BATCHLATCH_STORE_SILENT' } });
});
