import type { StoreAndAdmin } from '../support/store-and-admin.ts';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { AcquireOutcome, Claim, ClaimRequest } from 'batchlatch';
import { type OperationKind, parkedKindOf } from 'batchlatch/operations';
import { type ManualClock, manualClock } from 'batchlatch/testing';

/** The rows of a format, as its version wrote them. They are never written again. */
const FOLDER = new URL('./format-1/', import.meta.url);

/** A store over an empty table, and its rows past it. */
export interface RawStore {
  readonly store: StoreAndAdmin;
  /** The row as JSON can hold it. */
  read(key: string): Promise<unknown>;
  put(key: string, row: never): Promise<void>;
}

interface KeptRow {
  readonly key: string;
  readonly row: unknown;
  /** What it is read as. */
  readonly claim: Claim;
  /** What the next delivery was given. */
  readonly acquired: AcquireOutcome;
}

interface Kept {
  /** When the rows were read, in epoch milliseconds. */
  readonly at: number;
  readonly rows: readonly KeptRow[];
}

const BEGIN = Date.UTC(2026, 0, 1);
const LEASE_MS = 30_000;
const RETENTION_MS = 345_600_000;
const ERROR = { name: 'Declined', message: 'the card was declined', code: 'CARD' };

/**
 * Rows of format 1 that a store really wrote, kept in a file. The store has to read them for ever; and as long as it writes
 * format 1, it writes the same rows. `WRITE_ROWS=1 npm test -- test/rows` writes the file of a new store.
 */
export function describeKeptRows(name: string, open: (clock: ManualClock) => Promise<RawStore>): void {
  const file = new URL(`${name}.json`, FOLDER);

  describe(`The rows of format 1: ${name}`, () => {
    it('are written as they always were', async () => {
      const clock = manualClock(BEGIN);
      const raw = await open(clock);
      const keys = await writeOneOfEach(raw.store, clock);
      const rows: KeptRow[] = [];
      for (const key of keys) {
        const row = await raw.read(key);
        rows.push({ key, row, claim: (await raw.store.inspect(key)) as Claim, acquired: undefined as never });
      }
      const outcomes = await raw.store.acquire(keys.map(nextDelivery));
      const written: Kept = {
        at: clock.now(),
        rows: rows.map((row, index) => ({ ...row, acquired: outcomes[index] as AcquireOutcome })),
      };
      if (process.env['WRITE_ROWS'] === '1' && !existsSync(file)) {
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(file, `${JSON.stringify(written, undefined, 2)}\n`);
      }
      expect(JSON.parse(JSON.stringify(written))).toEqual(keptIn(file));
    });

    it('are read as the claims that they are, and decided on as they were', async () => {
      const { at, rows } = keptIn(file);
      const clock = manualClock(at);
      const { store, put } = await open(clock);
      expect(rows.length).toBeGreaterThan(12);
      for (const { key, row } of rows) await put(key, row as never);
      for (const { key, claim } of rows) expect(await store.inspect(key)).toEqual(claim);
      const outcomes = await store.acquire(rows.map(({ key }) => nextDelivery(key)));
      expect(outcomes).toEqual(rows.map(({ acquired }) => acquired));
    });

    it.each([
      ['CARD', 'failed'],
      ['BATCHLATCH_LAPSED_LEASE', 'lapsed'],
      ['BATCHLATCH_TOO_MANY_CRASHES', 'attempts'],
      ['BATCHLATCH_TOO_MANY_ATTEMPTS', 'attempts'],
      ['BATCHLATCH_UNSERIALIZABLE_RESULT', 'done'],
    ])('say why they are parked: with the error %s it is %s', async (code, parked) => {
      const { at, rows } = keptIn(file);
      const { store, put } = await open(manualClock(at));
      const { key, row } = rows.find((one) => one.key === 'orders#v1:parked') as KeptRow;
      await put(key, JSON.parse(JSON.stringify(row).replaceAll('CARD', code)) as never);
      const claim = (await store.inspect(key)) as Claim;
      expect([claim.error?.code, parkedKindOf(claim)]).toEqual([code, parked]);
    });

    it('say why a person parked them', async () => {
      const { rows } = keptIn(file);
      const byPerson = rows.find(({ key }) => key === 'orders#v1:parked by a person') as KeptRow;
      expect(byPerson.claim.error?.name).toBe('ParkedByOperator');
      expect(parkedKindOf(byPerson.claim)).toBe('failed');
    });
  });
}

function keptIn(file: URL): Kept {
  return JSON.parse(readFileSync(file, 'utf8')) as Kept;
}

function nextDelivery(key: string): ClaimRequest {
  return { key, owner: 'the next', leaseMs: LEASE_MS, retentionMs: RETENTION_MS, isRedelivery: true };
}

/** A row in each way that rows are written; gives their keys. */
async function writeOneOfEach(store: StoreAndAdmin, clock: ManualClock): Promise<string[]> {
  const keys: string[] = [];
  const keyOf = (name: string): string => `orders#v1:${name}`;
  const acquire = async (name: string, members: Partial<ClaimRequest> = {}): Promise<void> => {
    const key = keyOf(name);
    if (!keys.includes(key)) keys.push(key);
    const common = { owner: `owner of ${name}`, leaseMs: LEASE_MS, retentionMs: RETENTION_MS };
    const [outcome] = await store.acquire([{ key, ...common, ...members }]);
    expect(outcome).toMatchObject({ status: 'acquired' });
  };
  const owned = (name: string) => ({
    key: keyOf(name),
    owner: `owner of ${name}`,
    retentionMs: RETENTION_MS,
  });
  const all = { lockedBy: 'Orders 42 req-1', payloadHash: 'cGF5bG9hZA', recordId: 'm-1' };

  await acquire('lapsed', { leaseMs: 1_000 });
  await acquire('lapsed twice', { leaseMs: 1_000 });
  await acquire('lapsed before it started', { leaseMs: 1_000, recordsStart: true });
  await clock.advance(2_000);
  await acquire('lapsed twice', { owner: 'second', leaseMs: 1_000, ...all });
  await acquire('lapsed before it started', { owner: 'second', leaseMs: 1_000, recordsStart: true });
  await clock.advance(2_000);

  for (const name of ['completed', 'completed with a result', 'failed', 'failed twice', 'released', 'parked'])
    await acquire(name, all);
  for (const name of ['released by a person', 'resolved by a person', 'parked by a person'])
    await acquire(name, all);
  await clock.advance(1_500);
  // One member alone: in Powertools' attributes a result is a map of DynamoDB, which has no order.
  await store.settle([
    { ...owned('completed'), end: 'complete' },
    {
      ...owned('completed with a result'),
      end: 'complete',
      result: '{"cents":[1995,0.5,"Zoë \\u0001"]}',
    },
    { ...owned('failed'), end: 'fail', error: ERROR },
    { ...owned('failed twice'), end: 'fail', error: { name: 'Error', message: 'away' } },
    { ...owned('released'), end: 'release', releases: 0 },
    { ...owned('parked'), end: 'park', error: ERROR },
    { ...owned('released by a person'), end: 'park', error: ERROR },
    { ...owned('resolved by a person'), end: 'park', error: ERROR },
    { ...owned('parked by a person'), end: 'fail', error: ERROR },
  ]);
  await acquire('failed twice', { owner: 'second' });
  await store.settle([{ ...owned('failed twice'), owner: 'second', end: 'fail', error: ERROR }]);
  await clock.advance(500);

  const people = store;
  const changes: [string, OperationKind][] = [
    ['released by a person', 'release'],
    ['resolved by a person', 'resolve'],
    ['parked by a person', 'park'],
  ];
  for (const [name, operation] of changes) {
    const { key, status, owner, attempt } = (await store.inspect(keyOf(name))) as Claim;
    const seen = { status, owner, attempt };
    const by = { owner: `change of ${name}`, operator: 'pat@desk', reason: 'fixed in 1.4' };
    const result = operation === 'resolve' ? { result: '{"by":"hand"}' } : {};
    const [outcome] = await people.change([
      { operation, key, seen, ...by, retentionMs: RETENTION_MS, ...result },
    ]);
    expect(outcome).toMatchObject({ status: 'done' });
  }

  await acquire('first claim');
  await acquire('first claim with all that it can have', { ...all, recordsStart: true });
  await acquire('started', { recordsStart: true });
  await store.start?.([owned('started')]);
  await acquire('extended');
  await clock.advance(1_000);
  await store.extend([{ ...owned('extended'), leaseMs: LEASE_MS }]);
  await clock.advance(1_000);
  return keys;
}
