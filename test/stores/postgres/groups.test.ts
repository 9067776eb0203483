import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { manualClock, type ManualClock } from 'batchlatch/testing';
import type { Pool } from 'pg';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { startPostgresEmulator } from '../../../lab/local/emulators/postgres-emulator.ts';
import type { Completion, ClaimRequest, Settlement } from '../../../src/claims/claim-store.ts';
import type { PostgresPool, SqlStatement } from '../../../src/stores/postgres/pool.ts';
import { assertSameAsTheStateMachine, alike, casesFrom } from '../../support/postgres-differences.ts';
import { advanceUntil } from '../../support/advance-until.ts';
import { createPostgresTable, poolOf, rowsOfPostgres, storeByClock } from '../../support/postgres-table.ts';
import type { StoreAndAdmin } from '../../support/store-and-admin.ts';

let service: LocalService;
let pool: Pool;
let table: string;
let clock: ManualClock;
let store: StoreAndAdmin;
/** Each statement as its kind, and the keys that it is about. */
let sent: string[];
/** How many of the next answers are lost after the statement was carried out. */
let losses: number;

beforeAll(async () => {
  service = await startPostgresEmulator();
  pool = poolOf(service.endpoint);
});
beforeEach(async () => {
  table = await createPostgresTable(pool);
  clock = manualClock(Date.UTC(2026, 0, 1));
  sent = [];
  losses = 0;
  store = storeByClock(observedPool(), table, clock);
});
afterAll(async () => {
  await pool.end();
  await service.stop();
});

function observedPool(): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect();
      return {
        async query(statement) {
          sent.push(`${kindOf(statement)} ${keysOf(statement)}`);
          const answer = await client.query<Record<string, unknown>>(statement);
          if (losses === 0) return answer;
          losses -= 1;
          throw new Error('Connection terminated unexpectedly');
        },
        release: (isBroken) => client.release(isBroken),
      };
    },
  };
}

function kindOf({ text }: SqlStatement): string {
  if (text.includes('DO UPDATE SET status = c.status WHERE false')) return 'insert';
  if (text.includes('INSERT INTO')) return 'acquire';
  if (text.includes("status = 'COMPLETED', updated_at")) return 'complete';
  return text.includes('UPDATE') ? 'change' : 'read';
}

function keysOf({ values: [keys] }: SqlStatement): string {
  return String(keys).replaceAll(/[{}"]/g, '');
}

function request(key: string, more: Partial<ClaimRequest> = {}): ClaimRequest {
  return { key, owner: `owner of ${key}`, leaseMs: 1_000, retentionMs: 10_000, ...more };
}

function completion(key: string, more: Partial<Completion> = {}): Completion {
  return { end: 'complete', key, owner: `owner of ${key}`, retentionMs: 5_000, result: `"${key}"`, ...more };
}

const first = { status: 'acquired', attempt: 1, releases: 0, crashes: 0, tookOver: false };

describe('A group of first deliveries', () => {
  it('is claimed in one statement and completed in one', async () => {
    const outcomes = await store.acquire([request('a'), request('b'), request('c')]);
    const leaseUntil = clock.now() + 1_000;
    expect(outcomes).toEqual([1, 2, 3].map(() => ({ ...first, leaseUntil })));
    expect(await store.settle(['a', 'b', 'c'].map((key) => completion(key)))).toEqual(
      Array(3).fill('stored'),
    );
    expect(sent).toEqual(['insert a,b,c', 'complete a,b,c']);
    expect(await store.inspect('b')).toMatchObject({ status: 'COMPLETED', result: '"b"' });
  });

  it('has the rows that other statements would write', async () => {
    const members = {
      lockedBy: 'a function',
      payloadHash: 'a hash',
      recordId: 'a record',
      recordsStart: true,
    };
    const columnsOf = async (keys: readonly string[]): Promise<unknown[]> => {
      const { read } = rowsOfPostgres(() => ({ pool, name: table }));
      return Promise.all(
        keys.map(async (key) => ({ ...((await read(key)) as object), key: '', owner: '', xmin: '' })),
      );
    };
    for (const rest of [{}, members]) {
      const [a, b] = [request('a', rest), request('b', rest)];
      const [c, d] = [request('c', rest), request('d', rest)].map((one) => ({ ...one, isRedelivery: true }));
      sent = [];
      await store.acquire([a, b]);
      await store.acquire([c as ClaimRequest, d as ClaimRequest]);
      expect(sent).toEqual(['insert a,b', 'acquire c,d']);
      const [one, ...others] = await columnsOf(['a', 'b', 'c', 'd']);
      for (const other of others) expect(other).toEqual(one);

      await store.settle([completion('a', { result: '1' }), completion('b', { result: '1' })]);
      await store.settle([completion('c', { result: '1' }), completion('absent', { retentionMs: 1 })]);
      await store.settle([completion('d', { result: '1' }), completion('absent', { retentionMs: 1 })]);
      expect(sent.filter((one) => /^(complete|change)/.test(one))).toEqual([
        'complete a,b',
        'change c,absent',
        'change d,absent',
      ]);
      const [completed, ...alsoCompleted] = await columnsOf(['a', 'b', 'c', 'd']);
      for (const other of alsoCompleted) expect(other).toEqual(completed);
      await pool.query(`DELETE FROM ${table}`);
    }
  });

  it.each<[string, (b: ClaimRequest) => Promise<unknown>, object]>([
    ['completed', (b) => store.settle([completion('b', b)]), { status: 'duplicate', result: '"b"' }],
    ['held', async () => undefined, { status: 'conflict', attempt: 1 }],
    ['lapsed', async () => clock.advance(1_000), { status: 'acquired', attempt: 2, tookOver: true }],
    ['forgotten', async () => clock.advance(11_000), first],
    ['failed', (b) => store.settle([ended(b, 'fail')]), { status: 'acquired', attempt: 2, tookOver: false }],
    ['parked', (b) => store.settle([ended(b, 'park')]), { status: 'parked', error: { message: 'failed' } }],
  ])(
    'reads its rows where a key is %s, and asks once more for what is free',
    async (state, happens, outcome) => {
      const b = request('b', { owner: 'another' });
      await store.acquire([b]);
      await happens(b);
      sent = [];
      const outcomes = await store.acquire([request('a'), request('b'), request('c')]);
      const leaseUntil = clock.now() + 1_000;
      expect(outcomes).toMatchObject([{ ...first, leaseUntil }, outcome, { ...first, leaseUntil }]);
      const isFree = ['lapsed', 'forgotten', 'failed'].includes(state);
      expect(sent).toEqual(['insert a,b,c', 'read a,b,c', ...(isFree ? ['acquire b'] : [])]);
    },
  );

  it('finds that a key has another payload', async () => {
    await store.acquire([request('b', { owner: 'another', payloadHash: 'one' })]);
    const outcomes = await store.acquire(['a', 'b'].map((key) => request(key, { payloadHash: 'two' })));
    expect(outcomes).toMatchObject([first, { status: 'mismatch' }]);
  });

  it('is its own again where the answer was lost', async () => {
    losses = 1;
    const asking = store.acquire([request('a'), request('b')]);
    expect(await advanceUntil(clock, asking)).toMatchObject([first, first]);
    expect(sent).toEqual(['insert a,b', 'insert a,b', 'read a,b', 'acquire a,b']);
    losses = 1;
    const settling = store.settle([completion('a'), completion('b')]);
    expect(await advanceUntil(clock, settling)).toEqual(['stored', 'stored']);
    expect(sent.slice(4)).toEqual(['complete a,b', 'complete a,b', 'read a,b']);
  });

  it('keeps its own claims when asked for again, but not one that another has taken over', async () => {
    await store.acquire([request('a'), request('b')]);
    await clock.advance(1_000);
    await store.acquire([request('b', { owner: 'another' })]);
    sent = [];
    expect(await store.acquire([request('a'), request('b')])).toMatchObject([
      { status: 'acquired', attempt: 1 },
      { status: 'conflict', attempt: 2 },
    ]);
    expect(sent).toEqual(['insert a,b', 'read a,b', 'acquire a']);
  });

  it.each<[string, Partial<ClaimRequest>]>([
    ['length of lease', { leaseMs: 2_000 }],
    ['retention', { retentionMs: 20_000 }],
    ['holder', { lockedBy: 'a function' }],
    ['record of its start', { recordsStart: true }],
    ['receive count', { isRedelivery: true }],
  ])('that differs in the %s is claimed by the other statement', async (_what, more) => {
    expect(await store.acquire([request('a'), request('b', more)])).toMatchObject([first, first]);
    expect(sent).toEqual(['acquire a,b']);
    const { leaseMs, retentionMs, lockedBy, recordsStart } = request('b', more);
    expect(await store.inspect('b')).toMatchObject({
      leaseUntil: clock.now() + leaseMs,
      expiresAt: clock.now() + leaseMs + retentionMs,
      ...(lockedBy !== undefined && { lockedBy }),
      ...(recordsStart === true && { started: false }),
    });
  });

  it('of one key is asked for by the statement that also takes over', async () => {
    await store.acquire([request('a')]);
    expect(sent).toEqual(['acquire a']);
  });

  it('acquires what the state machine says, over 2,000 rows and requests at random', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      await assertSameAsTheStateMachine(alike(casesFrom(seed, 100)), observedPool(), pool, table);
    }
    expect(sent.filter((one) => one.startsWith('insert'))).toHaveLength(20);
  });

  it('is claimed and completed where a pool does not say how many rows were written', async () => {
    const uncounted: PostgresPool = {
      async connect() {
        const client = await observedPool().connect();
        return {
          query: async (statement) => ({ rows: (await client.query(statement)).rows }),
          release: () => client.release(),
        };
      },
    };
    const patient = storeByClock(uncounted, table, clock);
    expect(await patient.acquire([request('a'), request('b')])).toMatchObject([first, first]);
    expect(await patient.settle([completion('a'), completion('b')])).toEqual(['stored', 'stored']);
    expect(sent).toEqual(['insert a,b', 'read a,b', 'acquire a,b', 'complete a,b', 'read a,b']);
  });

  it('can be released where its rows could not be read after some were written', async () => {
    await store.acquire([request('b', { owner: 'another' })]);
    const unreadable: PostgresPool = {
      async connect() {
        const client = await observedPool().connect();
        return {
          async query(statement) {
            if (kindOf(statement) === 'read') throw Object.assign(new Error('cancelled'), { code: '57014' });
            return client.query(statement);
          },
          release: () => client.release(),
        };
      },
    };
    const asking = storeByClock(unreadable, table, clock).acquire([request('a'), request('b')]);
    const unknown = { status: 'error', error: { isRetryable: true } };
    expect(await advanceUntil(clock, asking)).toMatchObject([unknown, unknown]);
    const release = ({ key, owner }: ClaimRequest): Settlement => ({
      end: 'release',
      key,
      owner,
      retentionMs: 5_000,
      releases: 0,
    });
    expect(await store.settle([release(request('a')), release(request('b'))])).toEqual(['stored', 'lost']);
    expect(await store.acquire([request('a', { owner: 'next' })])).toMatchObject([
      { status: 'acquired', attempt: 2, releases: 1, crashes: 0, tookOver: false },
    ]);
  });

  it('is not believed to be claimed or completed where the answer has no rows', async () => {
    const silent: PostgresPool = {
      connect: async () => ({ query: async () => ({ rows: [] }), release: () => undefined }),
    };
    const deaf = storeByClock(silent, table, clock);
    const contended = { status: 'error', error: { code: 'BATCHLATCH_CONTENDED' } };
    expect(await deaf.acquire([request('a'), request('b')])).toMatchObject([contended, contended]);
    expect(await deaf.settle([completion('a'), completion('b')])).toEqual(['lost', 'lost']);
  });
});

describe('A group of completions', () => {
  beforeEach(async () => {
    await store.acquire(['a', 'b', 'c'].map((key) => request(key)));
    sent = [];
  });

  it('leaves a claim alone that another has taken over', async () => {
    await clock.advance(1_000);
    await store.acquire([request('b', { owner: 'another' })]);
    sent = [];
    const outcomes = await store.settle(['a', 'b', 'c'].map((key) => completion(key)));
    expect(outcomes).toEqual(['stored', 'lost', 'stored']);
    expect(sent).toEqual(['complete a,b,c', 'read a,b,c']);
    expect(await store.inspect('b')).toMatchObject({ status: 'IN_PROGRESS', owner: 'another', attempt: 2 });
  });

  it('does not complete again what its owner has ended otherwise', async () => {
    await store.settle([ended(request('b'), 'park')]);
    expect(await store.settle(['a', 'b'].map((key) => completion(key)))).toEqual(['stored', 'lost']);
    expect(await store.inspect('b')).toMatchObject({ status: 'PARKED' });
  });

  it.each<[string, Settlement]>([
    ['retention', completion('b', { retentionMs: 1 })],
    ['kind of end', ended(request('b'), 'fail')],
  ])('that differs in the %s is settled by the other statement', async (_what, b) => {
    expect(await store.settle([completion('a'), b, completion('c')])).toEqual(Array(3).fill('stored'));
    expect(sent).toEqual(['change a,b,c']);
    const expiry = async (key: string): Promise<unknown> => (await store.inspect(key))?.expiresAt;
    const { retentionMs } = b;
    expect([await expiry('a'), await expiry('b')]).toEqual([clock.now() + 5_000, clock.now() + retentionMs]);
  });

  it('keeps no result where there is none, and any text where there is one', async () => {
    const odd = '"{\\"a\\":\\"NULL\\\\\\",b}"';
    await store.settle([
      { end: 'complete', key: 'a', owner: 'owner of a', retentionMs: 5_000 },
      completion('b', { result: odd }),
    ]);
    expect(sent).toEqual(['complete a,b']);
    expect((await store.inspect('a'))?.result).toBeUndefined();
    expect((await store.inspect('b'))?.result).toBe(odd);
  });
});

function ended({ key, owner }: ClaimRequest, end: 'fail' | 'park'): Settlement {
  return { end, key, owner, retentionMs: 7_000, error: { name: 'Error', message: 'failed' } };
}
