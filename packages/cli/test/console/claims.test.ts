import { describe, expect, it } from '@jest/globals';
import { type BatchProcessorOptions, createBatchProcessor, PermanentError, StoreError } from 'batchlatch';
import { manualClock, sqsEvent } from 'batchlatch/testing';
import type { ClaimDetailJson, ClaimsJson, PlanJson } from '../../src/console/api.ts';
import { csvLine } from '../../src/console/exports.ts';
import { replaced } from '../../../../test/support/replaced.ts';
import { type ClaimAdmin, keyHash } from 'batchlatch/operations';
import { type MemoryStore, memoryStore } from 'batchlatch/memory';
import { HOSTILE, makeClaim, recordIdOf, setBackClock } from '../../../../test/support/console-claims.ts';
import { until } from '../../../../test/support/until.ts';
import { consoles, EMPTY } from './consoles.ts';

const MINUTE = 60_000;

describe('GET /api/claims', () => {
  const open = consoles();

  it('lists a page of a state, and goes on where it ended', async () => {
    const { get } = await open();
    const keys: string[] = [];
    let next = '';
    let pages = 0;
    do {
      const page: ClaimsJson = await get(
        `/api/claims?state=parked&limit=5&cursor=${encodeURIComponent(next)}`,
      );
      keys.push(...page.claims.map(({ key }) => key));
      next = page.next ?? '';
      pages += 1;
    } while (next !== '');
    expect([keys.length, new Set(keys).size, pages]).toEqual([13, 13, 3]);
  });

  it.each([
    ['by=prefix&q=invoices%23', 12],
    ['by=prefix&q=invoices%23&state=parked', 0],
    ['by=key&q=orders%23parked-0001', 1],
    ['by=key&q=orders%23parked-0001&state=failed', 0],
    ['by=key&q=orders%23none', 0],
    [`by=hash&q=${keyHash('orders#parked-0001')}`, 1],
    [`by=record&q=${recordIdOf('orders#parked-0001')}`, 1],
    [`by=record&q=${recordIdOf('orders#parked-0001')}&state=overdue`, 0],
  ])('finds %s', async (query, found) => {
    const { get } = await open();
    const { claims, readBy } = await get<ClaimsJson>(`/api/claims?${query}&limit=1000`);
    expect([claims.length, readBy]).toEqual([found, expect.stringMatching(/^(index|scan)$/)]);
  });

  it.each([
    'state=nothing',
    'by=nothing',
    'limit=0',
    'limit=1001',
    'limit=x',
    'by=hash&q=xyz',
    'cursor=nonsense',
    `q=${'x'.repeat(2_049)}`,
  ])('refuses %s', async (query) => {
    const { ask } = await open(EMPTY);
    const { status, text } = await ask(`/api/claims?${query}`);
    expect([status, JSON.parse(text)]).toEqual([
      400,
      { error: { code: expect.any(String), message: expect.any(String) } },
    ]);
  });

  it.each([
    ['an outage, which may pass', true, 503],
    ['a failure that does not pass', false, 500],
  ])('says why the store could not answer: %s', async (_what, isRetryable, expected) => {
    const store = replaced(memoryStore(), {
      list: () => Promise.reject(new StoreError('no answer', { isRetryable })),
    }) as ClaimAdmin;
    const { ask } = await open({ ...EMPTY, store });
    const { status, text } = await ask('/api/claims');
    expect([status, JSON.parse(text)]).toEqual([
      expected,
      { error: { code: 'BATCHLATCH_STORE', message: 'no answer' } },
    ]);
  });

  it('shows no result and no payload of anybody', async () => {
    const { ask } = await open();
    const { text } = await ask('/api/claims?by=key&q=orders%23long-result');
    expect(text).toContain('"hasResult":true');
    expect(text).not.toContain('9007199254740993');
  });

  it('gives up reading when nobody waits for the answer any more', async () => {
    let given: AbortSignal | undefined;
    const store = replaced(memoryStore(), {
      list: (_query, options) =>
        new Promise((_resolve, reject) => {
          given = options?.signal as AbortSignal;
          given.addEventListener('abort', () => reject(new Error('given up')));
        }),
    }) as ClaimAdmin;
    const { url, session } = await open({ ...EMPTY, store });
    const leaving = new AbortController();
    const asked = fetch(`${url}/api/claims`, { headers: session, signal: leaving.signal }).catch(
      () => undefined,
    );
    while (given === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    leaving.abort();
    await asked;
    while (!given.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(given.aborted).toBe(true);
  });
});

describe('GET /api/claims?parked=…', () => {
  const open = consoles();

  /** A store with a parked claim of each kind but `done`, made by processors. */
  async function withKinds(): Promise<MemoryStore> {
    const clock = manualClock(Date.now());
    const store = memoryStore({ clock });
    for (const id of ['lapsed', 'attempts']) {
      await store.acquire([
        { key: `kinds#v1:${id}`, owner: 'dead', leaseMs: 1_000, retentionMs: 60 * MINUTE, recordId: id },
      ]);
    }
    await clock.advance(1_000);
    const process = (id: string, options: BatchProcessorOptions, handler = (): unknown => 'done') =>
      createBatchProcessor(handler, { namespace: 'kinds', store, clock, ...options })(
        sqsEvent([{ messageId: id, body: '{}' }]),
      );
    await process('lapsed', { onLapsedLease: 'park' });
    await process('attempts', { maxCrashes: 1 });
    await process('failed', {}, () => {
      throw new PermanentError('no such customer');
    });
    return store;
  }

  it.each(['lapsed', 'failed', 'attempts'])('lists the parked claims of the kind %s alone', async (kind) => {
    const { get, ask } = await open({ ...EMPTY, store: await withKinds() });
    const key = `kinds#v1:${kind}`;
    const asked = [
      `parked=${kind}`,
      `parked=${kind}&state=parked&by=prefix&q=kinds%23`,
      `parked=${kind}&by=hash&q=${keyHash(key)}`,
      `parked=${kind}&by=record&q=${kind}`,
    ];
    for (const query of asked) {
      const { claims } = await get<ClaimsJson>(`/api/claims?${query}`);
      expect(claims).toMatchObject([{ key, state: 'parked', parkedKind: kind }]);
    }
    const other = kind === 'failed' ? 'lapsed' : 'failed';
    const none = await get<ClaimsJson>(`/api/claims?parked=${other}&by=hash&q=${keyHash(key)}`);
    expect(none.claims).toEqual([]);
    const { text } = await ask(`/api/export?format=csv&parked=${kind}`);
    const [heading = '', ...rows] = text.trimEnd().split('\r\n');
    expect(rows.map((row) => row.split(',')[heading.split(',').indexOf('parkedKind')])).toEqual([kind]);
  });

  it('plans a change for the claims of one kind', async () => {
    const { post } = await open({ ...EMPTY, allowChanges: true, store: await withKinds() });
    const plan = await post<PlanJson>('/api/plan', { operation: 'resolve', filter: { parked: 'lapsed' } });
    expect(plan).toMatchObject({ count: 1, sample: [{ key: 'kinds#v1:lapsed' }] });
  });

  it.each(['parked=lost', 'parked=lapsed&state=failed'])('refuses %s', async (query) => {
    const { ask } = await open(EMPTY);
    expect((await ask(`/api/claims?${query}`)).status).toBe(400);
  });
});

describe('GET /api/claim', () => {
  const open = consoles();

  it('tells the past of a claim in the order in which it happened', async () => {
    const { get } = await open();
    const { claim, events } = await get<ClaimDetailJson>('/api/claim?key=orders%23released');
    expect(events.map(({ kind }) => kind)).toEqual(['claimed', 'changed', 'claimed', 'failed']);
    expect(events[1]).toMatchObject({ operation: 'release', operator: 'ann@laptop', reason: 'fixed in 1.4' });
    expect(claim).toMatchObject({ state: 'failed', attempt: 2, history: [{ operation: 'release' }] });
  });

  it('shows the result when it is asked for, as it is stored, with numbers beyond 2^53', async () => {
    const { get } = await open();
    const hidden = await get<ClaimDetailJson>('/api/claim?key=orders%23long-result');
    expect([hidden.hasResult, hidden.result]).toEqual([true, undefined]);
    const shown = await get<ClaimDetailJson>('/api/claim?key=orders%23long-result&result=1');
    expect(shown.result).toBe('{"total":9007199254740993,"note":"<b>bold</b>"}');
  });

  it('writes numbers that JSON readers would round as strings', async () => {
    const store = replaced(memoryStore(), {
      read: async (key: string) => ({
        key,
        status: 'FAILED' as const,
        owner: 'o',
        attempt: 2 ** 60,
        releases: 0,
        crashes: 0,
        leaseUntil: 0,
        createdAt: 1,
        updatedAt: 8.7e15, // no time
      }),
    }) as ClaimAdmin;
    const { get } = await open({ ...EMPTY, store });
    const { claim, events } = await get<ClaimDetailJson>('/api/claim?key=x');
    expect(claim.attempt).toBe('1152921504606846976');
    expect(claim.updatedAt).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ kind: 'failed', at: null });
  });

  it('keeps the order of attempts where the clock of one machine is behind', async () => {
    const clock = setBackClock();
    const memory = memoryStore({ clock });
    await makeClaim(memory, clock, 'orders#1', 'failed', { ageMs: MINUTE });
    await makeClaim(memory, clock, 'orders#1', 'completed', { ageMs: 3 * MINUTE });
    const { get, post, listen } = await open({ ...EMPTY, store: memory });
    const { events } = await get<ClaimDetailJson>('/api/claim?key=orders%231');
    expect(events.map(({ kind, at }) => [kind, Date.parse(at ?? '') > Date.now() - 2 * MINUTE])).toEqual([
      ['claimed', true],
      ['claimed', false],
      ['completed', false],
    ]);
    const page = listen();
    await post('/api/read', {});
    const { statistics } = await page.until<{
      statistics?: { negativeTimes: number; waitingMs?: { min: number } };
    }>('overview', ({ statistics: some }) => some !== undefined);
    expect(statistics).toMatchObject({ negativeTimes: 1, waitingMs: { min: 0, max: 0 } });
    page.close();
  });

  it('is 404 for a key without a claim, and 400 without a key', async () => {
    const { ask } = await open(EMPTY);
    expect((await ask('/api/claim?key=none')).status).toBe(404);
    expect((await ask('/api/claim')).status).toBe(400);
  });

  it('links to the log of the function that ran it', async () => {
    const { get } = await open({ region: 'eu-west-1' });
    const { logUrl } = await get<ClaimDetailJson>('/api/claim?key=orders%23parked-0001');
    expect(logUrl).toMatch(/^https:\/\/eu-west-1\.console\.aws\.amazon\.com\/cloudwatch\//);
    expect(logUrl).toContain(keyHash('orders#parked-0001'));
    expect(logUrl).toContain("source~(~'*2Faws*2Flambda*2FOrdersFunction))");
  });
});

describe('GET /api/export', () => {
  const open = consoles();

  it('downloads all that match as CSV, in which no cell is a formula', async () => {
    const { ask } = await open();
    const { text, headers } = await ask('/api/export?format=csv&state=parked');
    expect(headers['content-disposition']).toMatch(/^attachment; filename="claims-[\dT-]+\.csv"$/);
    const lines = text.trimEnd().split('\r\n');
    expect([lines.length, lines[0]?.split(',').slice(0, 3)]).toEqual([14, ['key', 'keyHash', 'state']]);
    expect(text).toContain(`"orders#${HOSTILE.replaceAll('"', '""')}"`);
  });

  it('downloads all of 10,000 claims as JSON, without results', async () => {
    const clock = setBackClock();
    const memory = memoryStore({ clock });
    const owner = 'o';
    for (let index = 0; index < 10_000; index += 1) {
      const key = `orders#${String(index).padStart(5, '0')}`;
      await memory.acquire([{ key, owner, leaseMs: 1_000, retentionMs: 3_600_000 }]);
    }
    await makeClaim(memory, clock, 'orders#done', 'completed', { ageMs: MINUTE, result: '"secret"' });
    const { ask } = await open({ ...EMPTY, store: memory });
    const { text } = await ask('/api/export?format=json');
    expect(JSON.parse(text)).toHaveLength(10_001);
    expect(text).not.toContain('secret');
    expect(JSON.parse((await ask('/api/export?format=json&q=none')).text)).toEqual([]);
  });

  it('breaks off where the store fails in between, and is an error where it fails at once', async () => {
    let pages = 0;
    const store = replaced(memoryStore(), {
      async list() {
        pages += 1;
        if (pages % 2 === 0) throw new Error('away');
        return { claims: [], readBy: 'scan', rowsRead: 0, next: 'more' };
      },
    }) as ClaimAdmin;
    const { ask } = await open({ ...EMPTY, store });
    await expect(ask('/api/export?format=csv')).rejects.toThrow();
    pages = 1;
    expect((await ask('/api/export?format=csv')).status).toBe(500);
  });

  it('reads no further than somebody takes', async () => {
    let pages = 0;
    const claim = {
      key: 'k'.repeat(1_000),
      status: 'FAILED' as const,
      owner: 'o',
      attempt: 1,
      releases: 0,
      crashes: 0,
      leaseUntil: 0,
      createdAt: 1,
      updatedAt: 1,
    };
    const store = replaced(memoryStore(), {
      async list() {
        pages += 1;
        return {
          claims: Array.from({ length: 1_000 }, () => claim),
          readBy: 'scan',
          rowsRead: 1_000,
          next: 'more',
        };
      },
    }) as ClaimAdmin;
    const { url, session } = await open({ ...EMPTY, store });
    const leaving = new AbortController();
    const response = await fetch(`${url}/api/export?format=csv`, {
      headers: session,
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    await until('it waits', async () => {
      const before = pages;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return pages === before;
    });
    expect(pages).toBeLessThan(30); // some megabytes wait in between
    leaving.abort();
  });

  it('refuses another format', async () => {
    const { ask } = await open(EMPTY);
    expect((await ask('/api/export?format=xml')).status).toBe(400);
  });
});

describe('csvLine', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', `"'\r=1"`],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    ['a=b', 'a=b'],
    [-1, '-1'],
    [2 ** 60, '1152921504606846976'],
    [true, 'true'],
    [undefined, ''],
  ])('writes %j as %j', (value, cell) => {
    expect(csvLine([value])).toBe(`${cell}\r\n`);
  });
});
