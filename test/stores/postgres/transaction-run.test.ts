import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import { memoryStore } from 'batchlatch/memory';
import type { AttemptHandle, AttemptTransaction } from '../../../src/claims/attempt-handle.ts';
import type { Completion } from '../../../src/claims/claim-store.ts';
import { claimsTable } from '../../../src/stores/postgres/claims-table.ts';
import type { PostgresClient, PostgresPool } from '../../../src/stores/postgres/pool.ts';
import { runUntilCommitted } from '../../../src/stores/postgres/run-until-committed.ts';
import type { TransactionAdapter } from '../../../src/stores/postgres/transaction-adapter.ts';
import type { TransactionEffect } from '../../../src/stores/postgres/transaction-effect.ts';
import { type Made, type RunEnd, TransactionRun } from '../../../src/stores/postgres/transaction-run.ts';

const COMPLETION: Completion = { end: 'complete', key: 'k', owner: 'mine', retentionMs: 1_000 };
/** More than a statement, or what comes after the function, is waited for. */
const LONG_MS = 60_000;

let clock: ManualClock;
/** What the row of the claim is, for who asks on another connection. */
let row: Readonly<Record<string, unknown>>;
/** What the database says of the transaction. */
let status: string | Error;
/** How the attempt learns of its completion. */
let outcomes: unknown[];

beforeEach(() => {
  clock = manualClock();
  row = { key: 'k', status: 'IN_PROGRESS', owner: 'mine', attempt: 1 };
  status = 'committed';
  outcomes = [];
});

const attempt: AttemptTransaction = {
  async complete(effect) {
    const outcome = await (effect as TransactionEffect).write(COMPLETION);
    outcomes.push(outcome);
    if (outcome === 'stored') return;
    throw typeof outcome === 'object' && 'refused' in outcome
      ? outcome.refused
      : new Error('lost or unknown');
  },
  noteNotDone: () => undefined,
};

/** The store's pool: for the questions after a transaction. */
const pool: PostgresPool = {
  async connect(): Promise<PostgresClient> {
    return {
      async query({ text }) {
        if (text.includes('txid_status')) {
          if (status instanceof Error) throw status;
          return { rows: [{ status }] };
        }
        return { rows: text.includes('FOR UPDATE') ? [row] : [] };
      },
      release: () => undefined,
    };
  },
};

/** Statements in a transaction that go well. */
const query = async (_client: string, text: string): Promise<readonly unknown[]> =>
  text.includes('UPDATE') ? [{ key: 'k' }] : [{ id: '7' }];

function run(
  transaction: TransactionAdapter<string>['transaction'],
  work: () => Promise<readonly Made[]> = async () => [{ result: 1 }],
  own: Partial<TransactionAdapter<string>> = {},
  attempts: readonly AttemptTransaction[] = [attempt],
): Promise<RunEnd> {
  const table = claimsTable({ pool, clock, now: () => 'now()', random: () => 0 });
  return new TransactionRun(attempts, work, { adapter: { transaction, query, ...own }, table }).end();
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('a run in a transaction of an adapter', () => {
  it('is done where it is committed', async () => {
    const end = await run((body) => body('client'));
    expect(end).toMatchObject({ status: 'done', made: [{ result: 1 }] });
    expect(outcomes).toEqual(['stored']);
  });

  it('waits for a function that runs long after the adapter has begun again by itself', async () => {
    let runs = 0;
    const work = async (): Promise<readonly Made[]> => {
      runs += 1;
      if (runs === 2) await new Promise<void>((resolve) => void clock.setTimer(resolve, LONG_MS));
      return [{ result: runs }];
    };
    const running = run(async (body) => {
      await body('first');
      return body('second');
    }, work);
    await clock.advance(2 * LONG_MS);
    expect(await running).toMatchObject({ status: 'done', made: [{ result: 2 }] });
    expect(outcomes).toMatchObject([{ refused: expect.anything() }, 'stored']);
  });

  it('is done where it was committed by a run whose answer the adapter did not get', async () => {
    let runs = 0;
    const end = await run(
      async (body) => {
        await body('first');
        row = { ...row, status: 'COMPLETED' };
        runs += 1;
        return body('second');
      },
      async () => [{ result: runs }],
      { query: async (client, text) => (runs === 1 && text.includes('UPDATE') ? [] : query(client, text)) },
    );
    expect(end).toMatchObject({ status: 'done' });
    expect(outcomes).toMatchObject([{ refused: expect.anything() }, 'stored']);
  });

  it('does not wait for ever for a COMMIT', async () => {
    const running = run(async (body) => {
      await body('client');
      return never();
    });
    await clock.advance(LONG_MS);
    expect(await running).toMatchObject({ status: 'failed', mayRunAgain: true });
  });

  it('does not wait for ever for a ROLLBACK', async () => {
    const failure = new Error('no stock');
    const running = run(
      (body) => body('client').catch(never),
      () => Promise.reject(failure),
    );
    await clock.advance(LONG_MS);
    expect(await running).toEqual({ status: 'failed', error: failure, mayRunAgain: false });
  });

  it('does not wait for ever for a transaction to begin, and does nothing in one that begins later', async () => {
    let begin!: () => void;
    let runs = 0;
    let late: Promise<unknown> | undefined;
    const running = run(
      async (body) => {
        await new Promise<void>((resolve) => (begin = resolve));
        late = body('client').catch((error: unknown) => error);
        return late as never;
      },
      async () => {
        runs += 1;
        return [{ result: 1 }];
      },
    );
    await clock.advance(LONG_MS);
    expect(await running).toMatchObject({ status: 'failed', error: { code: 'BATCHLATCH_STORE_SILENT' } });
    begin();
    await clock.advance(0);
    expect([runs, await late]).toEqual([0, expect.any(Error)]);
  });

  it('goes by the row where nobody says whether it was committed', async () => {
    status = new Error('Connection terminated unexpectedly');
    const lost = run((body) => body('client'));
    await clock.advance(LONG_MS);
    expect(await lost).toMatchObject({ status: 'failed' });
    expect(outcomes).toMatchObject([{ refused: expect.anything() }]);

    row = { ...row, status: 'COMPLETED' };
    const committed = run((body) => body('client'));
    await clock.advance(LONG_MS);
    expect(await committed).toMatchObject({ status: 'done' });
  });

  it('is rolled back where an attempt cannot be completed, and says which', async () => {
    const tooLarge = new Error('too large');
    const refusing: AttemptTransaction = { ...attempt, complete: () => Promise.reject(tooLarge) };
    let isRolledBack = false;
    const end = await run(
      (body) =>
        body('client').catch((error: unknown) => {
          isRolledBack = true;
          throw error;
        }),
      async () => [{ result: 1 }, { result: 2 }],
      {},
      [refusing, attempt],
    );
    expect(end).toEqual({ status: 'without', errors: new Map([[0, tooLarge]]) });
    expect([isRolledBack, outcomes]).toMatchObject([true, [{ refused: expect.anything() }]]);
  });

  it.each(['aborted', 'in progress'])('is not committed where the database says: %s', async (said) => {
    status = said;
    const end = await run((body) => body('client'));
    expect(end).toMatchObject({ status: 'failed', mayRunAgain: false });
    expect(outcomes).toMatchObject([{ refused: expect.anything() }]);
  });
});

describe('a function that may run again', () => {
  const failing: RunEnd = { status: 'failed', error: new Error('40001'), mayRunAgain: true };
  const handle = (isStopped: () => boolean): AttemptHandle => ({
    store: memoryStore(),
    get isStopped() {
      return isStopped();
    },
    completeWith: never,
    transact: never,
  });

  it.each([
    ['before it waits', 1],
    ['while it waits', 2],
  ])('does not where its handler was told to stop %s', async (_when, asked) => {
    let runs = 0;
    let waits = 0;
    let asks = 0;
    const running = runUntilCommitted(
      [attempt],
      never,
      [
        handle(() => {
          asks += 1;
          return asks >= asked;
        }),
      ],
      {
        async run() {
          runs += 1;
          return failing;
        },
        async backOff() {
          waits += 1;
        },
      },
    );
    await expect(running).rejects.toThrow('40001');
    expect([runs, waits]).toEqual([1, asked - 1]);
  });
});
