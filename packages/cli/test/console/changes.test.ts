import { describe, expect, it } from '@jest/globals';
import type { ActionJson, ChangesResult, ClaimsJson, JobJson, PlanJson } from '../../src/console/api.ts';
import { type Claim, type ClaimAdmin, operateOnClaims } from 'batchlatch/operations';
import { StoreError } from 'batchlatch/core';
import { memoryStore } from 'batchlatch/memory';
import { type Clock, systemClock } from '../../src/tool-base/clock.ts';
import { replaced } from '../../../../test/support/replaced.ts';
import { posting } from '../../../../test/support/console-browser.ts';
import { makeClaim, setBackClock } from '../../../../test/support/console-claims.ts';
import { until } from '../../../../test/support/until.ts';
import { consoles, EMPTY, type OpenConsole } from './consoles.ts';

const MINUTE = 60_000;
const REASON = 'fixed in 1.4';

/** Resolves to how a job ended. */
async function ended(
  { get }: OpenConsole,
  job: string,
): Promise<JobJson & { readonly result: ChangesResult }> {
  let state: JobJson | undefined;
  await until('the job has ended', async () => {
    state = await get<JobJson>(`/api/job?id=${job}`);
    return state.ended !== undefined;
  });
  return state as JobJson & { readonly result: ChangesResult };
}

async function carryOut(
  console: OpenConsole,
  { plan }: PlanJson,
  more: object = {},
): Promise<JobJson & { readonly result: ChangesResult }> {
  const { job } = await console.post<{ job: string }>('/api/changes', { plan, reason: REASON, ...more });
  return ended(console, job);
}

const planOf = ({ post }: OpenConsole, body: unknown): Promise<PlanJson> => post('/api/plan', body);

describe('a plan', () => {
  const open = consoles();

  it('says how many claims would be changed, which they are, and why the others would not', async () => {
    const console = await open();
    const plan = await planOf(console, { operation: 'release', filter: { q: 'orders#' } });
    expect(plan).toMatchObject({
      operation: 'release',
      force: false,
      count: 339,
      wouldChange: 26,
      isWhole: true,
      byState: { 'in-progress': 12, overdue: 12, failed: 1, parked: 13, completed: 301 },
      wouldBeRefused: { running: 12, completed: 301, changed: 0, absent: 0 },
      cost: { rowsRead: 351, writes: 26 },
    });
    expect(plan.sample).toHaveLength(5);
    expect(plan.sample.every(({ state }) => state !== 'completed' && state !== 'in-progress')).toBe(true);
    const forced = await planOf(console, { operation: 'release', filter: { q: 'orders#' }, force: true });
    expect(forced.wouldChange).toBe(339);
  });

  it('changes nothing', async () => {
    const console = await open();
    await planOf(console, { operation: 'forget', filter: { state: 'parked' } });
    const { claims } = await console.get<ClaimsJson>('/api/claims?state=parked');
    expect(claims).toHaveLength(13);
    expect((await console.get<{ actions: unknown[] }>('/api/actions')).actions).toEqual([]);
  });

  it('holds 10,000 claims at most, and says that there are more', async () => {
    const clock = setBackClock();
    const memory = memoryStore({ clock });
    const requests = Array.from({ length: 10_001 }, (_, index) => ({
      key: `k${index}`,
      owner: 'o',
      leaseMs: 1_000,
      retentionMs: 3_600_000,
    }));
    await clock.ago(MINUTE, () => memory.acquire(requests));
    // Pages do not end where the plan does.
    const store = replaced(memory, {
      list: (query, options) => memory.list({ ...query, limit: Math.min(query.limit ?? 100, 999) }, options),
    }) as ClaimAdmin;
    const console = await open({ ...EMPTY, store });
    const plan = await planOf(console, { operation: 'release', filter: { state: 'overdue' } });
    expect(plan).toMatchObject({ count: 10_000, wouldChange: 10_000, isWhole: false });
    const { result, done } = await carryOut(console, plan);
    expect([done, result.done]).toEqual([10_000, 10_000]);
    const rest = await planOf(console, { operation: 'release', filter: { state: 'overdue' } });
    expect(rest).toMatchObject({ count: 1, isWhole: true });
  });

  it.each([
    [{ operation: 'delete', filter: {} }],
    [{ operation: 'release' }],
    [{ operation: 'release', filter: {}, claims: [] }],
    [{ operation: 'release', claims: [] }],
    [{ operation: 'release', claims: [{ key: 'k' }] }],
    [{ operation: 'release', claims: [{ key: 'k', owner: 'o', status: 'NOT', attempt: 1 }] }],
    [{ operation: 'release', claims: [{ key: 'k', owner: 'o', status: 'FAILED', attempt: '1.5' }] }],
    [
      {
        operation: 'release',
        claims: Array.from({ length: 2 }, () => ({ key: 'k', owner: 'o', status: 'FAILED', attempt: 1 })),
      },
    ],
    [{ operation: 'release', filter: { state: 'x' } }],
    [{ operation: 'release', filter: {}, force: 'yes' }],
  ])('is refused for %j', async (body) => {
    const { url, ask } = await open(EMPTY);
    expect((await ask('/api/plan', posting(url, body))).status).toBe(400);
  });

  it('is given up when nobody waits for it any more', async () => {
    let given: AbortSignal | undefined;
    const store = replaced(memoryStore(), {
      list: (_query, options) =>
        new Promise((_resolve, reject) => {
          given = options?.signal as AbortSignal;
          given.addEventListener('abort', () => reject(new Error('given up')));
        }),
    }) as ClaimAdmin;
    const { url, session, listen } = await open({ ...EMPTY, store, indexedStates: [] });
    const page = listen();
    const leaving = new AbortController();
    const { method, headers, body } = posting(url, { operation: 'release', filter: { state: 'parked' } });
    const asked = fetch(`${url}/api/plan`, {
      method: method ?? '',
      headers: { ...headers, ...session } as Record<string, string>,
      body: body ?? '',
      signal: leaving.signal,
    }).catch(() => undefined);
    await until('it reads', () => given !== undefined);
    leaving.abort();
    await asked;
    expect(await page.until<JobJson>('job', ({ ended: how }) => how !== undefined)).toMatchObject({
      ended: 'aborted',
    });
    page.close();
  });
});

describe('a plan of the claims that match a filter', () => {
  const open = consoles();

  it('says how many rows it leaves out because they are of a newer format', async () => {
    const console = await open();
    const { store } = console.server;
    const parked = await store.read('orders#parked-0001');
    const newer = 'PARKED@2:9.0.0' as 'PARKED';
    await store.adopt?.([{ ...(parked as Claim), key: 'orders#newer', status: newer }]);
    const filter = { state: 'parked', q: 'orders#' };
    const plan = await planOf(console, { operation: 'release', filter });
    expect(plan).toMatchObject({ count: 13, wouldChange: 13, cost: { newerRows: 1 } });
    const narrowed = await planOf(console, { operation: 'release', filter: { ...filter, ageMs: '1' } });
    expect(narrowed).toMatchObject({ count: 13, cost: { newerRows: 1 } });
  });
});

describe('a plan of chosen claims', () => {
  const open = consoles();

  it('names a claim of a newer format, and changes the others', async () => {
    const console = await open();
    const { store } = console.server;
    const [parked, released] = await Promise.all(
      ['orders#parked-0001', 'orders#parked-0002'].map((key) => store.read(key)),
    );
    const newer = 'PARKED@2:9.0.0' as 'PARKED';
    await store.adopt?.([{ ...(parked as Claim), key: 'newer', status: newer }]);
    const plan = await planOf(console, {
      operation: 'release',
      claims: [{ ...parked, key: 'newer' }, released],
    });
    expect(plan).toMatchObject({ count: 2, wouldChange: 1, wouldBeRefused: { absent: 0, changed: 0 } });
    expect(plan.notRead).toMatchObject([
      { key: 'newer', error: expect.stringContaining('Deploy version 9.0.0 or later') },
    ]);
    expect(await carryOut(console, plan)).toMatchObject({ result: { done: 1, failed: 0 } });
  });
});

describe('a change', () => {
  const open = consoles();

  it('is kept on the claims with who and why, told as it goes on, and in the log', async () => {
    const told: ActionJson[] = [];
    const console = await open({ onAction: (action) => told.push(action) });
    const page = console.listen();
    const plan = await planOf(console, {
      operation: 'release',
      filter: { state: 'parked', q: 'orders#parked' },
    });
    const job = await carryOut(console, plan);
    expect(job).toMatchObject({
      what: 'change',
      ended: 'whole',
      done: 12,
      total: 12,
      result: { done: 12, failed: 0, notSent: 0, notChanged: [] },
    });
    await page.until<JobJson>('job', ({ id, ended: how }) => id === job.id && how === 'whole');
    const action = await page.until<ActionJson>('action', ({ ended: how }) => how !== undefined);
    expect(action).toMatchObject({
      operator: 'ann@laptop',
      what: 'release',
      reason: REASON,
      asked: 12,
      done: 12,
      refused: 0,
      failed: 0,
      job: job.id,
      ended: 'whole',
    });
    expect(await console.get('/api/actions')).toEqual({ actions: [action] });
    expect(told.at(-1)).toEqual(action);
    const claim = await console.server.store.read('orders#parked-0003');
    expect(claim).toMatchObject({
      status: 'FAILED',
      history: [{ operation: 'release', operator: 'ann@laptop', reason: REASON }],
    });
    page.close();
  });

  it('resolves with a result, whose numbers are kept', async () => {
    const console = await open();
    const plan = await planOf(console, {
      operation: 'resolve',
      filter: { by: 'key', q: 'orders#overdue-0001' },
    });
    await carryOut(console, plan, { result: '{"id":9007199254740993}' });
    const claim = await console.server.store.read('orders#overdue-0001');
    expect([claim?.status, claim?.result]).toEqual(['COMPLETED', '{"id":9007199254740993}']);
  });

  it('forgets only what was confirmed', async () => {
    const console = await open();
    const plan = await planOf(console, {
      operation: 'forget',
      filter: { by: 'key', q: 'orders#parked-0001' },
    });
    const refused = await console.ask(
      '/api/changes',
      posting(console.url, { plan: plan.plan, reason: REASON }),
    );
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('confirmed')]);
    await carryOut(console, plan, { confirmed: true });
    expect(await console.server.store.read('orders#parked-0001')).toBeUndefined();
  });

  it('of claims that another person has changed meanwhile is refused, and tells how they are now', async () => {
    const console = await open();
    const { claims } = await console.get<ClaimsJson>(
      '/api/claims?state=parked&by=prefix&q=orders%23parked&limit=3',
    );
    const [first, second] = claims;
    const plan = await planOf(console, { operation: 'release', claims });
    expect(plan).toMatchObject({ count: 3, wouldChange: 3 });
    const { store } = console.server;
    const bob = { operation: 'resolve', operator: 'bob', reason: 'by hand' } as const;
    await operateOnClaims(store, [await existing(store, first?.key)], bob);
    await operateOnClaims(store, [await existing(store, second?.key)], { ...bob, operation: 'forget' });
    const { result } = await carryOut(console, plan);
    expect(result).toMatchObject({ done: 1, refused: { changed: 1, absent: 1, running: 0, completed: 0 } });
    expect(result.notChanged).toEqual([
      {
        key: first?.key,
        why: 'changed',
        found: expect.objectContaining({
          state: 'completed',
          history: [expect.objectContaining({ operator: 'bob' })],
        }),
      },
      { key: second?.key, why: 'absent' },
    ]);
  });

  it('of claims as they were seen is planned as refused where they have changed since', async () => {
    const console = await open();
    const { claims } = await console.get<ClaimsJson>(
      '/api/claims?state=parked&by=prefix&q=orders%23parked&limit=2',
    );
    const { store } = console.server;
    const bob = { operation: 'park', operator: 'bob', reason: 'mine' } as const;
    await operateOnClaims(store, [await existing(store, claims[0]?.key)], bob);
    const plan = await planOf(console, { operation: 'release', claims });
    expect(plan).toMatchObject({ count: 2, wouldChange: 1, wouldBeRefused: { changed: 1 } });
    const { result } = await carryOut(console, plan);
    expect(result.done).toBe(1);
    expect((await store.read(claims[0]?.key ?? ''))?.status).toBe('PARKED');
  });

  it('is made once, however often it is asked for', async () => {
    const console = await open();
    const { plan } = await planOf(console, { operation: 'park', filter: { state: 'overdue' } });
    const ask = (): Promise<{ status: number }> =>
      console.ask('/api/changes', posting(console.url, { plan, reason: REASON }));
    const statuses = (await Promise.all([ask(), ask(), ask()])).map(({ status }) => status);
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 409, 409]);
  });

  it('is refused where its plan is older than 5 minutes, or nobody has planned it', async () => {
    let aheadMs = 0;
    const clock: Clock = { ...systemClock, now: () => Date.now() + aheadMs };
    const console = await open({ clock });
    const { plan, expiresAt } = await planOf(console, { operation: 'release', filter: { state: 'parked' } });
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(4 * MINUTE);
    aheadMs = 5 * MINUTE + 1_000;
    const late = await console.ask('/api/changes', posting(console.url, { plan, reason: REASON }));
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('plan-too-old')]);
    const none = await console.ask('/api/changes', posting(console.url, { plan: 'x', reason: REASON }));
    expect([none.status, none.text]).toEqual([409, expect.stringContaining('no-plan')]);
  });

  it.each([
    [{}],
    [{ reason: '' }],
    [{ reason: ' ' }],
    [{ reason: 'x'.repeat(257) }],
    [{ reason: 'a\u001B[2Jb' }],
    [{ reason: 'a\u202Eb' }],
    [{ reason: 7 }],
    [{ reason: REASON, result: '{' }],
    [{ reason: REASON, result: 7 }],
  ])('is refused with %j, and its plan is kept', async (more) => {
    const console = await open();
    const { plan } = await planOf(console, { operation: 'resolve', filter: { state: 'overdue' } });
    expect((await console.ask('/api/changes', posting(console.url, { plan, ...more }))).status).toBe(400);
    expect((await console.ask('/api/changes', posting(console.url, { plan, reason: REASON }))).status).toBe(
      200,
    );
  });

  it('of no claim is refused', async () => {
    const console = await open(EMPTY);
    const { plan } = await planOf(console, { operation: 'release', filter: { state: 'parked' } });
    const { status, text } = await console.ask(
      '/api/changes',
      posting(console.url, { plan, reason: REASON }),
    );
    expect([status, text]).toEqual([409, expect.stringContaining('nothing-to-do')]);
  });

  it('tells what failed, of each claim', async () => {
    const clock = setBackClock();
    const memory = memoryStore({ clock });
    for (const key of ['a', 'b']) await makeClaim(memory, clock, key, 'parked', { ageMs: MINUTE });
    const store = replaced(memory, {
      change: async (operations, options) => {
        const outcomes = await memory.change(operations.slice(0, 1), options);
        return [...outcomes, { status: 'error', error: new StoreError('throttled', { isRetryable: false }) }];
      },
    }) as ClaimAdmin;
    const console = await open({ ...EMPTY, store });
    const plan = await planOf(console, { operation: 'release', filter: { state: 'parked' } });
    const { result } = await carryOut(console, plan);
    expect(result).toMatchObject({
      done: 1,
      failed: 1,
      notChanged: [{ key: 'b', why: 'failed', error: 'throttled' }],
    });
  });

  it('stops between two requests when it is asked to, or with the console, and says how many were not sent', async () => {
    const clock = setBackClock();
    const memory = memoryStore({ clock });
    const requests = Array.from({ length: 250 }, (_, index) => ({
      key: `k${index}`,
      owner: 'o',
      leaseMs: 1_000,
      retentionMs: 3_600_000,
    }));
    await clock.ago(MINUTE, () => memory.acquire(requests));
    let sent = 0;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const store = replaced(memory, {
      change: async (operations, options) => {
        sent += operations.length;
        await held;
        return memory.change(operations, options);
      },
    }) as ClaimAdmin;
    const console = await open({ ...EMPTY, store });
    const { plan } = await planOf(console, { operation: 'park', filter: { state: 'overdue' } });
    const { job } = await console.post<{ job: string }>('/api/changes', { plan, reason: REASON });
    await until('it sends', () => sent > 0);
    const stopping = console.server.stop();
    release();
    await stopping; // waits for what was sent
    const parked = await memory.list({ state: 'parked', limit: 1_000 });
    expect(parked.claims).toHaveLength(sent);
    expect(sent).toBe(100);
    expect(job).toEqual(expect.any(String));
  });
});

async function existing(store: ClaimAdmin, key: string = ''): Promise<Claim> {
  const claim = await store.read(key);
  if (claim === undefined) throw new Error(`There is no claim of ${key}`);
  return claim;
}
