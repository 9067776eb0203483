import { describe, expect, it } from '@jest/globals';
import type { Claim } from 'batchlatch';
import { describeClaimStore, manualClock } from 'batchlatch/testing';
import { conditionalStore } from '../../src/stores/rows/conditional-store.ts';
import type { RowWriter, WriteOutcome } from '../../src/stores/rows/row-writer.ts';
import { claimRequest, completion } from '../support/claim-builders.ts';

/** A row as a database with versions has it; a new one with each write. */
interface Versioned {
  readonly version: number;
  readonly claim: Claim;
}

/** The least that a store has to bring: conditions over a Map. `shows`: refusals bring their row along. */
function mapWriter({ shows = true } = {}): RowWriter<Versioned> & { rows: Map<string, Versioned> } {
  const rows = new Map<string, Versioned>();
  let version = 0;
  const write = (
    key: string,
    isMet: (stored: Versioned | undefined) => boolean,
    claimOf: (stored: Versioned | undefined) => Claim,
  ): WriteOutcome<Versioned> => {
    const stored = rows.get(key);
    if (!isMet(stored)) {
      return stored !== undefined && shows ? { status: 'refused', row: stored } : { status: 'refused' };
    }
    rows.set(key, { version: (version += 1), claim: claimOf(stored) });
    return { status: 'written' };
  };
  return {
    rows,
    insert: async (claims) =>
      claims.map((claim) =>
        write(
          claim.key,
          (stored) => stored === undefined,
          () => claim,
        ),
      ),
    replace: async (replacements) =>
      replacements.map(({ row, claim }) =>
        write(
          claim.key,
          (stored) => stored?.version === row.version,
          () => claim,
        ),
      ),
    change: async (changes) =>
      changes.map(({ key, owner, change, leaseUntilAtMost = Infinity }) =>
        write(
          key,
          (stored) =>
            stored?.claim.status === 'IN_PROGRESS' &&
            stored.claim.owner === owner &&
            stored.claim.leaseUntil <= leaseUntilAtMost,
          (stored) => changed(stored?.claim as Claim, change),
        ),
      ),
    read: async (keys) =>
      keys.map((key) => {
        const row = rows.get(key);
        return row === undefined ? { status: 'read' } : { status: 'read', row };
      }),
    toClaim: ({ claim }) => claim,
  };
}

function changed(claim: Claim, change: object): Claim {
  const members = Object.entries({ ...claim, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as unknown as Claim;
}

describe.each([true, false])('A conditional store whose refusals bring their row along: %s', (shows) => {
  describeClaimStore({
    name: 'a Map with conditions',
    create: (clock) => conditionalStore({ writer: mapWriter({ shows }), clock, clockToleranceMs: 0 }),
  });
});

describe('A conditional store', () => {
  function open(writer = mapWriter(), clockToleranceMs = 0) {
    const clock = manualClock();
    return { clock, writer, store: conditionalStore({ writer, clock, clockToleranceMs }) };
  }

  it('leaves a lapsed lease alone for the clock tolerance', async () => {
    const { clock, store } = open(mapWriter(), 500);
    await store.acquire([claimRequest('k', { leaseMs: 1_000 })]);
    await clock.advance(1_499);
    expect(await store.acquire([claimRequest('k')])).toMatchObject([{ status: 'conflict' }]);
    await clock.advance(1);
    expect(await store.acquire([claimRequest('k')])).toMatchObject([{ status: 'acquired', tookOver: true }]);
  });

  it('decides again when the row has changed between its look and its write, and gives up a row that always does', async () => {
    const writer = mapWriter();
    const { clock, store } = open(writer);
    await store.acquire([claimRequest('k', { leaseMs: 1_000 })]);
    await clock.advance(1_000);
    let races = 1;
    const replace: (typeof writer)['replace'] = async (...call) => {
      if ((races -= 1) >= 0) {
        const { version, claim } = writer.rows.get('k') as Versioned;
        writer.rows.set('k', { version: version + 1_000, claim });
      }
      return writer.replace(...call);
    };
    const raced = conditionalStore({ writer: { ...writer, replace }, clock, clockToleranceMs: 0 });
    races = Infinity;
    expect(await raced.acquire([claimRequest('k')])).toMatchObject([
      { status: 'error', error: { code: 'BATCHLATCH_CONTENDED', isRetryable: true } },
    ]);
    races = 2;
    expect(await raced.acquire([claimRequest('k')])).toMatchObject([{ status: 'acquired', attempt: 2 }]);
  });

  it('has an error for each row of which the database says too little', async () => {
    const nothing: RowWriter<Versioned> = {
      ...mapWriter(),
      insert: async () => [],
      change: async () => [],
      read: async () => [],
    };
    const { clock } = open();
    const store = conditionalStore({ writer: nothing, clock, clockToleranceMs: 0 });
    const request = claimRequest('k');
    const error = { code: 'BATCHLATCH_STORE', isRetryable: true };
    expect(await store.acquire([request])).toMatchObject([{ status: 'error', error }]);
    expect(await store.acquire([{ ...request, isRedelivery: true }])).toMatchObject([
      { status: 'error', error },
    ]);
    expect(await store.settle([completion(request)])).toMatchObject([{ error }]);
    await expect(store.inspect('k')).rejects.toMatchObject(error);
  });
});
