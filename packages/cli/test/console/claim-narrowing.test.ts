import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Claim } from 'batchlatch/operations';
import { memoryStore } from 'batchlatch/memory';
import { matches, type Narrowing } from '../../src/console/claim-narrowing.ts';
import { filterOf, readPage } from '../../src/console/claim-filter.ts';
import type { FilterJson } from '../../src/console/api.ts';
import { replaced } from '../../../../test/support/replaced.ts';
import { aClaim, put } from '../../../../lab/real/support/console/claims.ts';

const NOW = Date.UTC(2026, 4, 12, 14, 30);
const SECOND = 1_000;
const at = { now: NOW, createdAt: NOW - 60 * SECOND };

/** Ran for `ranMs` at an attempt `waitedMs` after the first. */
function completed(key: string, waitedMs: number, ranMs: number, members: Partial<Claim> = {}): Claim {
  const claimedAt = at.createdAt + waitedMs;
  return aClaim(key, 'completed', { ...at, claimedAt, completedAt: claimedAt + ranMs, ...members });
}

function released(from: Claim['status'], code?: string): Pick<Claim, 'history'> {
  const error = { name: 'Error', message: 'ended', ...(code !== undefined && { code }) };
  const before = { status: from, owner: 'o', attempt: 1, ...(from === 'PARKED' && { error }) };
  const change = { operation: 'release', operator: 'ann', reason: 'fixed', at: NOW - 30 * SECOND } as const;
  return { history: [{ ...change, from: before }] };
}

const CLAIMS: readonly Claim[] = [
  completed('quick', 0, SECOND),
  completed('orders#t1:OrderPlaced:o-1', 0, SECOND),
  completed('slow', 0, 9 * SECOND),
  completed('late', 20 * SECOND, SECOND),
  completed('took-over', 0, SECOND, { attempt: 2, crashes: 1 }),
  completed('released-unknown', 0, SECOND, released('PARKED', 'BATCHLATCH_LAPSED_LEASE')),
  completed('released-failed', 0, SECOND, released('PARKED', 'card_declined')),
  completed('released-running', 0, SECOND, released('IN_PROGRESS')),
  aClaim('declined', 'parked', at),
  aClaim('timeout', 'failed', { ...at, error: { name: 'TimeoutError', message: 'no answer' } }),
  aClaim('held', 'in-progress', { ...at, lockedBy: 'worker-1 abc' }),
  aClaim('held-by-other', 'in-progress', { ...at, createdAt: NOW - SECOND, lockedBy: 'worker-12 abc' }),
];

describe('a filter that no index answers', () => {
  it.each<[Narrowing, readonly string[]]>([
    [{ type: 'OrderPlaced' }, ['orders#t1:OrderPlaced:o-1']],
    [{ type: 'Order' }, []],
    [{ error: 'Declined' }, ['declined']],
    [{ error: 'TimeoutError' }, ['timeout']],
    [{ ranMs: 5 * SECOND }, ['slow']],
    [{ waitedMs: 20 * SECOND }, ['late']],
    [{ ageMs: 30 * SECOND }, ['declined', 'timeout', 'held']],
    [{ holder: 'worker-1' }, ['held']],
    [{ past: 'ran-twice' }, ['took-over', 'released-unknown', 'released-running']],
    [{ past: 'changed' }, ['released-unknown', 'released-failed', 'released-running']],
    [{ past: 'changed', ranMs: 5 * SECOND }, []],
    [{ endedFrom: NOW - 40 * SECOND, endedBefore: NOW }, ['late']],
    [{ endedFrom: NOW - 52 * SECOND, endedBefore: NOW - 50 * SECOND }, ['slow']],
  ])('finds the claims of %j', (narrowing, keys) => {
    expect(CLAIMS.filter((claim) => matches(claim, narrowing, NOW)).map(({ key }) => key)).toEqual(keys);
  });
});

describe('a page of few matches among many claims', () => {
  const store = memoryStore({ clock: { now: () => NOW } });
  const reading = { now: NOW, signal: new AbortController().signal };
  beforeAll(() =>
    put(store, [
      ...Array.from({ length: 2_500 }, () => completed(randomUUID(), 0, SECOND)),
      completed('slow', 0, 9 * SECOND),
    ]),
  );

  it('has what matches, wherever it stands, and what was read for it', async () => {
    const filter = filterOf({ state: 'completed', ranMs: '5000' } satisfies FilterJson);
    const page = await readPage(store, filter, { limit: 10 }, reading);
    expect([page.claims.map(({ key }) => key), page.rowsRead, page.next]).toEqual([
      ['slow'],
      2_501,
      undefined,
    ]);
  });

  it('counts the rows of all its parts that are not claims', async () => {
    const withOthers = replaced(store, {
      list: async (query, options) => ({ ...(await store.list(query, options)), unreadable: 2 }),
    });
    const page = await readPage(withOthers, filterOf({ ranMs: '5000' }), { limit: 10 }, reading);
    expect([page.rowsRead, page.unreadable]).toEqual([2_501, 6]);
  });

  it('ends when it has enough, and goes on from there', async () => {
    const filter = filterOf({ ranMs: '1000' });
    const first = await readPage(store, filter, { limit: 10 }, reading);
    expect([first.claims.length, first.rowsRead]).toEqual([1_000, 1_000]);
    const rest = await readPage(store, filter, { limit: 1_000, cursor: first.next }, reading);
    expect(rest.claims.length).toBe(1_000);
  });
});
