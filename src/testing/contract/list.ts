import { defined } from '../../base/defined.ts';
import assert from 'node:assert/strict';
import type { Claim } from '../../claims/claim.ts';
import { hasCode } from '../../base/errors.ts';
import type { ClaimQuery, ClaimState, ClaimAdmin } from '../../claims/claim-admin.ts';
import {
  type Contract,
  keysOf,
  LEASE_MS,
  ofAdmin,
  oneOfEach,
  pagesOf,
  RETENTION_MS,
  STATES,
} from '../store-bench.ts';

export function describeList(base: Contract): void {
  const contract = ofAdmin(base);

  contract(
    'lists the claims of each state, as they are stored, and all of them without one',
    async (bench) => {
      const { admin, key, stored } = bench;
      await oneOfEach(bench);
      for (const state of STATES) {
        const claims = await all(admin, { state, keyPrefix: key('') });
        assert.deepEqual(claims, [await stored(state)], state);
      }
      const claims = await all(admin, { keyPrefix: key('') });
      assert.deepEqual(keysOf(claims).toSorted(), STATES.map(key).toSorted());
    },
  );

  contract('gives each claim once, page by page, and no more of them than asked for', async (bench) => {
    const { admin, store, request, key } = bench;
    const keys = Array.from({ length: 11 }, (_, index) => key(`paged-${index}`));
    await store.acquire(keys.map((_, index) => request(`paged-${index}`)));
    for (const query of [{ state: 'in-progress' as const }, {}]) {
      for (const limit of [2, 1_000]) {
        const pages = await pagesOf(admin, { ...query, keyPrefix: key('paged-'), limit });
        for (const { claims } of pages) assert(claims.length <= limit, 'A page is too long');
        const found = keysOf(pages.flatMap(({ claims }) => claims));
        assert.deepEqual(found.toSorted(), keys.toSorted());
      }
    }
  });

  contract('lists the keys of a prefix alone', async ({ admin, acquire, key }) => {
    await acquire('orders#1');
    await acquire('refunds#1');
    for (const state of ['in-progress', undefined] as const) {
      const claims = await all(admin, { keyPrefix: key('orders#'), ...defined({ state }) });
      assert.deepEqual(keysOf(claims), [key('orders#1')]);
    }
  });

  contract('does not list what is past its retention', async (bench) => {
    const { admin, key, clock } = bench;
    await oneOfEach(bench);
    await clock.advance(2 * RETENTION_MS);
    for (const state of [...STATES, undefined]) {
      assert.deepEqual(await all(admin, { keyPrefix: key(''), ...defined({ state }) }), []);
    }
  });

  contract('lists a claim that was changed in its new state', async (bench) => {
    const { admin, key, operate } = bench;
    await oneOfEach(bench);
    await operate('release', 'parked');
    await operate('park', 'overdue');
    await operate('resolve', 'failed');
    await operate('forget', 'completed');
    const names = async (state: ClaimState): Promise<string[]> =>
      keysOf(await all(admin, { state, keyPrefix: key('') }));
    assert.deepEqual(await names('failed'), [key('parked')]);
    assert.deepEqual(await names('parked'), [key('overdue')]);
    assert.deepEqual(await names('completed'), [key('failed')]);
    assert.deepEqual(await names('overdue'), []);
  });

  contract(
    'counts the claims of a state, and tells the oldest lease of those that are overdue',
    async (bench) => {
      const { acquire, complete, fail, operate, admin, clock } = bench;
      const inProgress = await total(admin, 'in-progress');
      for (const name of ['a', 'b', 'c']) await acquire(name, { owner: name });
      assert.equal((await total(admin, 'in-progress')).count, inProgress.count + 3);

      const until = clock.now() + LEASE_MS;
      await clock.advance(LEASE_MS);
      const overdue = await total(admin, 'overdue');
      const areCounted = overdue.count >= 3 && (overdue.oldest ?? Infinity) <= until;
      assert(areCounted, 'The overdue claims are not counted');
      const ended = async (): Promise<number[]> => {
        const totals = [];
        for (const state of ['failed', 'completed', 'parked'] as const)
          totals.push(await total(admin, state));
        return totals.map(({ count }) => count);
      };
      const before = await ended();
      await fail('a', 'a');
      await complete('b', 'b');
      await operate('park', 'c');
      assert.equal((await total(admin, 'overdue')).count, overdue.count - 3);
      assert.deepEqual(
        await ended(),
        before.map((count) => count + 1),
      );
    },
  );

  contract('refuses a cursor that it did not give for the query', async (bench) => {
    const { admin, acquire, key } = bench;
    for (const name of ['a', 'b', 'c']) await acquire(name);
    const query = { keyPrefix: key(''), limit: 1 };
    let { next } = await admin.list(query);
    assert(next !== undefined, 'One claim of three was the last page');
    const wrong: ClaimQuery[] = [
      { ...query, cursor: next, keyPrefix: key('a') },
      { ...query, cursor: next, state: 'parked' },
      { ...query, cursor: next.slice(0, -8) },
      { ...query, cursor: 'bm90aGluZw' },
      { ...query, cursor: '' },
      { limit: 0 },
      { limit: 1_001 },
      { state: 'lost' as ClaimState },
    ];
    for (const one of wrong) await assert.rejects(admin.list(one), isRefusal);
    for (; next !== undefined; { next } = await admin.list({ ...query, cursor: next }));
    await assert.rejects(admin.count({ state: 'parked', cursor: 'bm90aGluZw' }), isRefusal);
  });
}

async function all(admin: ClaimAdmin, query: ClaimQuery): Promise<Claim[]> {
  return (await pagesOf(admin, query)).flatMap(({ claims }) => claims);
}

async function total(
  admin: ClaimAdmin,
  state: ClaimState,
): Promise<{ readonly count: number; readonly oldest: number | undefined }> {
  let count = 0;
  let oldest: number | undefined;
  let cursor: string | undefined;
  do {
    const counted = await admin.count({ state, ...defined({ cursor }) });
    count += counted.count;
    const { oldestLeaseUntil = oldest } = counted;
    if (oldestLeaseUntil !== undefined) oldest = Math.min(oldest ?? Infinity, oldestLeaseUntil);
    cursor = counted.next;
  } while (cursor !== undefined);
  return { count, oldest };
}

function isRefusal(thrown: unknown): boolean {
  return hasCode(thrown, 'BATCHLATCH_CONFIGURATION');
}
