import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { AcquireOutcome } from '../../claims/claim-store.ts';
import type { Claim } from '../../claims/claim.ts';
import { hasCode } from '../../base/errors.ts';
import {
  type Bench,
  type Contract,
  everyWrite,
  KINDS,
  keysOf,
  LEASE_MS,
  ofAdmin,
  oneOfEach,
  pagesOf,
  RETENTION_MS,
  STATES,
} from '../store-bench.ts';
import type { CommitSubject } from './commit.ts';

/** Direct access to the rows of a store, for tests of rows that a newer version of batchlatch wrote. */
export interface RowsSubject {
  /**
   * Changes the row of a key to a newer format, as the version of that format would leave it.
   *
   * @param key The idempotency key, which has a row.
   * @param format The suffix of the row's status: `PARKED` becomes `PARKED@2:0.9.0`.
   */
  readonly makeNewer: (key: string, format: string) => Promise<void>;
  /**
   * Returns the content of the row, in any form that tells two rows apart; undefined if there is none.
   *
   * @param key The idempotency key.
   */
  readonly read: (key: string) => Promise<unknown>;
}

const FORMAT = '@2:0.9.0';
/** The names of the claims in these tests. The last is past its retention. */
const NAMES = [...STATES, 'forgotten'];

/** Tests that every store leaves rows of a newer version unchanged, and reports them. */
export function describeNewer(
  { makeNewer, read }: RowsSubject,
  commit: CommitSubject | undefined,
  contract: Contract,
): void {
  const rows = async ({ key }: Bench): Promise<unknown[]> =>
    Promise.all(NAMES.map((name) => read(key(name))));

  /** Makes a newer row in each state, and returns what the claims were in this version, by name. */
  async function newerOfEach(bench: Bench): Promise<Map<string, Claim>> {
    const { acquire, store, key, clock } = bench;
    await acquire('forgotten', { owner: 'forgotten', leaseMs: 1_000, retentionMs: 1_000 });
    await clock.advance(LEASE_MS);
    await oneOfEach(bench);
    const claims = new Map<string, Claim>();
    for (const name of NAMES) {
      const claim = await store.inspect(key(name));
      if (claim !== undefined) claims.set(name, claim);
      await makeNewer(key(name), FORMAT);
    }
    return claims;
  }

  contract(
    'are not claimed, whatever their state and their retention, and stay as they are',
    async (bench) => {
      const { store, request } = bench;
      await newerOfEach(bench);
      const before = await rows(bench);
      for (const isRedelivery of [false, true]) {
        const outcomes = await store.acquire([
          request(`beside-${isRedelivery}`, { isRedelivery }),
          ...NAMES.map((name) => request(name, { isRedelivery })),
        ]);
        assert.equal(outcomes[0]?.status, 'acquired');
        for (const outcome of outcomes.slice(1)) assertNewer(errorOf(outcome));
      }
      // The owner that the row names cannot claim it either: it was this version's before.
      assertNewer(errorOf(await bench.acquire('in-progress', { owner: 'in-progress' })));
      assert.deepEqual(await rows(bench), before);
    },
  );

  contract('are not claimed where they do not say which version reads them', async (bench) => {
    const { acquire, key } = bench;
    await acquire('silent', { owner: 'silent' });
    await makeNewer(key('silent'), '@3');
    const error = errorOf(await acquire('silent'));
    assert(hasCode(error, 'BATCHLATCH_NEWER_ROW'), `Another error: ${String(error)}`);
  });

  contract('take nothing of an attempt that began before: it has lost its claim', async (bench) => {
    const { store, key } = bench;
    await newerOfEach(bench);
    const before = await rows(bench);
    const common = { key: key('in-progress'), owner: 'in-progress', retentionMs: RETENTION_MS };
    assert.deepEqual(await everyWrite(bench, 'in-progress', 'in-progress'), Array(5).fill('lost'));
    // The row's completion is a newer version's, not the one that is sent again.
    const again = { ...common, key: key('completed'), owner: 'completed', end: 'complete' } as const;
    assert.deepEqual(await store.settle([again]), ['lost']);
    assert.deepEqual((await store.start?.([common])) ?? ['lost'], ['lost']);
    if (commit !== undefined) {
      const effect = commit.effect([key('effect')]);
      assert.equal(await store.commit?.({ ...common, end: 'complete' }, effect), 'lost');
      assert.equal(await commit.read(key('effect')), 0);
    }
    assert.deepEqual(await rows(bench), before);
  });

  contract('are an error to who inspects them', async (bench) => {
    await newerOfEach(bench);
    for (const name of NAMES) {
      assertNewer(await bench.store.inspect(bench.key(name)).catch((thrown: unknown) => thrown));
    }
  });

  const operable = ofAdmin(contract);

  operable('are not changed for people, with force either', async (bench) => {
    const { admin, change } = bench;
    const claims = await newerOfEach(bench);
    const before = await rows(bench);
    for (const kind of KINDS) {
      const changes = [...claims.values()].map((claim) => change(kind, claim, { force: true }));
      for (const outcome of await admin.change(changes)) assertNewer(errorOf(outcome));
    }
    assert.deepEqual(await rows(bench), before);
  });

  operable('are not written over by claims of another store', async (bench) => {
    const { admin } = bench;
    if (admin.adopt === undefined) return;
    const claims = [...(await newerOfEach(bench)).values()];
    const before = await rows(bench);
    const later = claims.map((claim) => ({ ...claim, attempt: claim.attempt + 1 }));
    for (const outcome of await admin.adopt(later)) assertNewer(errorOf(outcome));
    assert.deepEqual(await rows(bench), before);
  });

  operable('are named where all claims are listed, and keep no claim out of a list', async (bench) => {
    const { admin, key, acquire } = bench;
    await newerOfEach(bench);
    await acquire('beside');
    const pages = await pagesOf(admin, { keyPrefix: key('') });
    const newer = pages.flatMap((page) => page.newer ?? []);
    assert.deepEqual(keysOf(pages.flatMap(({ claims }) => claims)), [key('beside')]);
    for (const name of STATES) {
      const told = { key: key(name), format: 2, version: '0.9.0' };
      const isNamed = newer.some((row) => isDeepStrictEqual(row, told));
      assert(isNamed, `The row of ${name} is not named`);
    }
    for (const state of STATES) {
      const page = await admin.list({ state, keyPrefix: key('') });
      const expected = state === 'in-progress' ? [key('beside')] : [];
      assert.deepEqual(keysOf(page.claims), expected);
      await admin.count({ state });
    }
  });
}

function errorOf(outcome: AcquireOutcome | object | string | undefined): unknown {
  assert(typeof outcome === 'object' && 'error' in outcome, `No error: ${JSON.stringify(outcome)}`);
  return outcome.error;
}

/** Asserts that the error names the version to deploy and is not retryable. */
function assertNewer(error: unknown): void {
  assert(hasCode(error, 'BATCHLATCH_NEWER_ROW'), `Another error: ${String(error)}`);
  const { message, isRetryable } = error as Error & { readonly isRetryable?: unknown };
  assert.match(message, /format 2\b.*Deploy version 0\.9\.0 or later/);
  assert.equal(isRetryable, false);
}
