import { afterEach, describe, expect, it } from '@jest/globals';
import type { Count, JobJson, Overview } from '../../src/console/api.ts';
import { replaced } from '../../../../test/support/replaced.ts';
import { StoreError } from 'batchlatch/core';
import type { Claim, ClaimAdmin } from 'batchlatch/operations';
import { memoryStore } from 'batchlatch/memory';
import { fillWithClaims, makeClaim, setBackClock } from '../../../../test/support/console-claims.ts';
import { indexed } from '../../../../test/support/console-server.ts';
import { hurriedClock } from './hurried-clock.ts';
import { consoles, EMPTY, watched } from './consoles.ts';
import { until } from '../../../../test/support/until.ts';

const MINUTE = 60_000;
const UNKNOWN: Count = { count: null, kind: 'unknown' };

describe('the overview of a table with an index', () => {
  const open = consoles();

  it('counts what the index has, and reads no row for the rest', async () => {
    const clock = setBackClock();
    const memory = memoryStore({ clock });
    await fillWithClaims(memory, clock, { completed: 20, waiting: 12 });
    const { store, lists, counts } = watched(indexed(memory));
    const { listen } = await open({ ...EMPTY, store });
    const page = listen();
    const overview = await page.until<Overview>('overview', ({ holders }) => holders.length > 0);
    expect(overview.counts).toEqual({
      'in-progress': { count: 12, kind: 'exact' },
      overdue: { count: 12, kind: 'exact' },
      parked: { count: 13, kind: 'exact' },
      failed: UNKNOWN,
      completed: UNKNOWN,
    });
    expect(lists.map(({ state }) => state)).toEqual(['overdue', 'in-progress']);
    expect(new Set(counts.map(({ state }) => state))).toEqual(new Set(['in-progress', 'overdue', 'parked']));
    page.close();
  });

  it('shows the ten that are overdue longest, who holds claims, and the oldest', async () => {
    const { listen } = await open({ hasIndex: true });
    const page = listen();
    const { overdue, holders, oldestOverdue, holdersAreWhole } = await page.until<Overview>(
      'overview',
      ({ holders: some }) => some.length > 0,
    );
    expect(overdue.map(({ key }) => key)).toEqual(
      Array.from({ length: 10 }, (_, index) => `orders#overdue-${String(11 - index).padStart(4, '0')}`),
    );
    expect(oldestOverdue).toMatchObject({
      key: 'orders#overdue-0011',
      since: new Date(overdue[0]?.sinceMs ?? 0).toISOString(),
    });
    expect(holdersAreWhole).toBe(true);
    expect(holders).toEqual(
      ['1', '2', '3'].map((version) =>
        expect.objectContaining({ lockedBy: `OrdersFunction:${version}`, running: 4, overdue: 4 }),
      ),
    );
    page.close();
  });

  it('estimates how many are completed, by the rows that the database says', async () => {
    const { listen, get } = await open({ hasIndex: true, estimateRows: async () => 1_000_037 });
    const page = listen();
    const { counts } = await page.until<Overview>(
      'overview',
      ({ counts: { completed, parked } }) => completed.count !== null && parked.count !== null,
    );
    expect(counts.completed).toEqual({ count: 1_000_000, kind: 'estimate' });
    expect(await get('/api/session')).toMatchObject({ estimatedRows: 1_000_037 });
    page.close();
  });

  it('stops without waiting for the estimate of a database that does not answer', async () => {
    let isAsked = false;
    const estimateRows = (signal: AbortSignal): Promise<number> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        isAsked = true;
      });
    const { server, listen } = await open({ hasIndex: true, estimateRows });
    const page = listen();
    await until('the estimate was asked for', () => isAsked);
    await server.stop();
    page.close();
  });
});

describe('the overview of a table without an index', () => {
  const open = consoles();

  it('reads one page, and then nothing until somebody asks', async () => {
    const clock = setBackClock();
    const memory = memoryStore({ clock });
    await fillWithClaims(memory, clock, { completed: 20, waiting: 3 });
    const { store, lists, counts } = watched(memory);
    const { listen, post, get } = await open({ ...EMPTY, store, clock: hurriedClock() });
    const page = listen();
    await page.until<Overview>('overview', () => counts.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 100)); // some fifty of its rounds
    expect([lists.length, counts.length]).toEqual([0, 1]);
    expect(await get('/api/session')).toMatchObject({ indexedStates: [] });

    await post('/api/read', {});
    const { counts: read, statistics } = await page.until<Overview>(
      'overview',
      ({ statistics: some }) => some !== undefined,
    );
    expect(read.parked).toEqual({ count: 4, kind: 'as-of', asOf: statistics?.asOf });
    expect(read.completed).toEqual({ count: 21, kind: 'as-of', asOf: statistics?.asOf });
    expect(statistics).toMatchObject({ isWhole: true, rowsRead: 35, waitingMs: { count: 21 } });
    const ended = await page.until<JobJson>('job', ({ ended: how }) => how !== undefined);
    expect(ended).toMatchObject({ what: 'read', ended: 'whole', done: 35, result: { rowsRead: 35 } });
    page.close();
  });

  it('says how many rows a read of all left out because they are of a newer format', async () => {
    const { listen, post, server } = await open();
    const claim = await server.store.read('orders#parked-0001');
    const newer = 'PARKED@2:9.0.0' as 'PARKED';
    await server.store.adopt?.([{ ...(claim as Claim), key: 'newer', status: newer }]);
    const page = listen();
    await post('/api/read', {});
    const { statistics } = await page.until<Overview>('overview', (told) => told.statistics !== undefined);
    expect(statistics).toMatchObject({ isWhole: true, newerRows: 1 });
    page.close();
  });

  it('reads nothing at all where it is told that there is none', async () => {
    const { store, lists, counts } = watched(memoryStore());
    const { listen } = await open({ ...EMPTY, store, indexedStates: [], clock: hurriedClock() });
    const page = listen();
    await page.until<Overview>('overview', () => true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([lists.length, counts.length]).toEqual([0, 0]);
    page.close();
  });

  it('reads all by itself where it is told to, while somebody looks', async () => {
    const clock = setBackClock();
    const memory = memoryStore({ clock });
    await makeClaim(memory, clock, 'orders#1', 'completed', { ageMs: MINUTE });
    const { store, lists } = watched(memory);
    const { listen } = await open({ ...EMPTY, store, readEveryMs: 500 });
    expect(lists).toEqual([]);
    const page = listen();
    await page.until<Overview>('overview', ({ counts }) => counts.completed.count === 1);
    await makeClaim(memory, clock, 'orders#2', 'completed', { ageMs: MINUTE });
    const { counts, statistics } = await page.until<Overview>(
      'overview',
      (one) => one.counts.completed.count === 2,
    );
    expect(counts.completed).toEqual({ count: 2, kind: 'exact' });
    expect(statistics?.periodMs).toBe(5_000);
    page.close();
    await until('it rests', async () => {
      const before = lists.length;
      await new Promise((resolve) => setTimeout(resolve, 700));
      return lists.length === before;
    });
  });
});

describe('the overview', () => {
  const open = consoles();
  let isAway = false;
  afterEach(() => {
    isAway = false;
  });

  function leaving(store: ClaimAdmin): ClaimAdmin {
    const away = (): void => {
      if (isAway) throw new StoreError('The table cannot be reached', { isRetryable: true });
    };
    return replaced(store, {
      list: async (...call) => {
        away();
        return store.list(...call);
      },
      count: async (...call) => {
        away();
        return store.count(...call);
      },
    });
  }

  it('says that the store is away, shows what it had, and goes on when it is back', async () => {
    const clock = setBackClock();
    const memory = memoryStore({ clock });
    await makeClaim(memory, clock, 'orders#1', 'parked', { ageMs: MINUTE });
    const store = leaving(indexed(memory));
    const { listen } = await open({ ...EMPTY, store, clock: hurriedClock() });
    const page = listen();
    await page.until<Overview>('overview', ({ counts }) => counts.parked.kind === 'exact');
    isAway = true;
    const { storeError, counts } = await page.until<Overview>(
      'overview',
      ({ storeError: error }) => error !== undefined,
    );
    expect(storeError).toBe('The table cannot be reached');
    expect(counts.parked).toMatchObject({ count: 1, kind: 'as-of' });
    isAway = false;
    await makeClaim(memory, clock, 'orders#2', 'parked', { ageMs: MINUTE });
    const back = await page.until<Overview>('overview', ({ counts: now }) => now.parked.count === 2);
    expect(back.storeError).toBeUndefined();
    expect(back.counts.parked.kind).toBe('exact');
    page.close();
  });

  it('is told again only where something has changed', async () => {
    const { listen } = await open({ hasIndex: true, clock: hurriedClock() });
    const page = listen();
    await page.until<Overview>('overview', ({ holders }) => holders.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = page.events.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(page.events.length).toBe(before);
    page.close();
  });

  it('is read once for all pages', async () => {
    const { store, counts } = watched(indexed(memoryStore()));
    const { listen } = await open({ ...EMPTY, store });
    const pages = [listen(), listen(), listen()];
    await Promise.all(
      pages.map((page) => page.until<Overview>('overview', (one) => one.counts.parked.count === 0)),
    );
    expect(counts.length).toBe(3); // one for each state
    for (const page of pages) page.close();
  });

  it('counts at least so many where there are more than it counts', async () => {
    const store = replaced(memoryStore(), {
      count: async () => ({ count: 60_000, readBy: 'index', rowsRead: 60_000, next: 'more' }),
      list: async () => ({ claims: [], readBy: 'index', rowsRead: 0 }),
    }) as ClaimAdmin;
    const { listen } = await open({ ...EMPTY, store });
    const page = listen();
    const { counts } = await page.until<Overview>('overview', (one) => one.counts.parked.count !== null);
    expect(counts.parked).toEqual({ count: 120_000, kind: 'at-least' });
    page.close();
  });
});
