import { inDynamoDB } from '../support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { AcquireOutcome, Claim, ClaimStatus, SettleOutcome, Settlement, StoredError } from 'batchlatch';
import { type MemoryStore, memoryStore } from 'batchlatch/memory';
import {
  type ClaimOperation,
  eachClaim,
  type OperateOutcome,
  type OperationKind,
} from 'batchlatch/operations';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import {
  assert,
  type AsyncCommand,
  asyncModelRun,
  asyncProperty,
  boolean,
  commands,
  constantFrom,
  integer,
  record,
  subarray,
} from 'fast-check';
import { LEASE_ATTRIBUTES } from '../support/claims-table.ts';
import { emulatedTable } from '../support/emulated-table.ts';

/**
 * Random lives of a few keys, lived at once in a model and in each store. The model is the table of the state
 * machine written a second time, with nothing in common with the code.
 */
describe('every store', () => {
  const table = emulatedTable('dynoxide', { leaseUntil: LEASE_ATTRIBUTES.own });

  it('gives the outcomes and leaves the rows that the model says, whatever happens in whatever order', async () => {
    const client = table.newClient();
    const lives = commands([acquires, settles, extensions, advances, changes, lists], {
      maxCommands: 25,
      size: 'max',
    });
    await assert(
      asyncProperty(lives, async (life) => {
        await asyncModelRun(() => ({ model: { now: 0, rows: new Map() }, real: realStores(client) }), life);
      }),
      { numRuns: 40 },
    );
  }, 60_000);

  function realStores(client: DynamoDBClient): Real {
    const clock = manualClock(0);
    const dynamoDB = (
      writes: 'batch' | 'single',
      overdueIndex: false | { shards: number } = false,
    ): MemoryStore => inDynamoDB({ client, tableName: table.tableName, writes, clock, overdueIndex });
    return {
      clock,
      stores: [
        { name: 'memory', prefix: randomUUID(), store: memoryStore({ clock }) },
        { name: 'batch, with index', prefix: randomUUID(), store: dynamoDB('batch', { shards: 2 }) },
        { name: 'single', prefix: randomUUID(), store: dynamoDB('single') },
      ],
    };
  }
});

/** All times are whole seconds, because DynamoDB's TTL is. */
const SECOND = 1_000;
const LEASE_MS = 10 * SECOND;
const RETENTION_MS = 30 * SECOND;
const PARKED_RETENTION_MS = 60 * SECOND;
const ERROR = { name: 'Error', message: 'card declined' };

interface Row {
  status: ClaimStatus;
  owner: string;
  attempt: number;
  releases: number;
  crashes: number;
  leaseUntil: number;
  expiresAt: number;
  error: StoredError | undefined;
  /** The operations of people, the oldest first. */
  history: OperationKind[];
  payloadHash: string | undefined;
}
interface Model {
  now: number;
  readonly rows: Map<string, Row>;
}
interface Real {
  readonly clock: ManualClock;
  readonly stores: readonly {
    readonly name: string;
    readonly prefix: string;
    readonly store: MemoryStore;
  }[];
}
type Command = AsyncCommand<Model, Real>;

const names = ['x', 'y'];
const owners = constantFrom('ann', 'bob', 'cid');

const acquires = record({
  keys: subarray(names, { minLength: 1 }),
  owner: owners,
  isRedelivery: boolean(),
  payloadHash: constantFrom(undefined, undefined, 'p', 'q'),
}).map(({ keys, owner, isRedelivery, payloadHash }): Command => ({
  check: () => true,
  async run(model, real) {
    const expected = keys.map((key) => acquireInModel(model, key, owner, payloadHash));
    await onEachStore(real, async ({ name, prefix, store }) => {
      const outcomes = await store.acquire(
        keys.map((key) => ({
          key: prefix + key,
          owner,
          leaseMs: LEASE_MS,
          retentionMs: RETENTION_MS,
          isRedelivery,
          ...(payloadHash !== undefined && { payloadHash }),
        })),
      );
      expect({ name, outcomes }).toEqual({ name, outcomes: expected });
    });
    await compareRows(model, real);
  },
  toString: () =>
    `acquire(${keys.join()} by ${owner}${isRedelivery ? ', again' : ''}, payload ${payloadHash})`,
}));

/** More often the holder than anybody: what nobody may do is soon tried out. */
const whoever = constantFrom('the holder', 'the holder', 'the holder', 'ann', 'bob');

const settles = record({
  keys: subarray(names, { minLength: 1 }),
  who: whoever,
  end: constantFrom<Settlement['end']>(
    'complete',
    'complete',
    'fail',
    'fail',
    'fail',
    'release',
    'release',
    'park',
  ),
}).map(({ keys, who, end }): Command => ({
  check: () => true,
  async run(model, real) {
    const ends = keys.map((key) => {
      const { releases = 0, owner = 'ann' } = model.rows.get(key) ?? {};
      return { key, releases, owner: who === 'the holder' ? owner : who };
    });
    const expected = ends.map(({ key, owner }) => settleInModel(model, key, owner, end));
    await onEachStore(real, async ({ name, prefix, store }) => {
      const outcomes = await store.settle(
        ends.map(({ key, owner, releases }) => settlement(end, prefix + key, owner, releases)),
      );
      expect({ name, outcomes }).toEqual({ name, outcomes: expected });
    });
    await compareRows(model, real);
  },
  toString: () => `${end}(${keys.join()} by ${who})`,
}));

const extensions = record({
  key: constantFrom(...names),
  owner: owners,
  leaseMs: integer({ min: 1, max: 20 }),
}).map(({ key, owner, leaseMs }): Command => ({
  check: () => true,
  async run(model, real) {
    const row = model.rows.get(key);
    const isMine = row?.status === 'IN_PROGRESS' && row.owner === owner;
    if (isMine && model.now + leaseMs * SECOND >= row.leaseUntil) {
      row.leaseUntil = model.now + leaseMs * SECOND;
      row.expiresAt = row.leaseUntil + RETENTION_MS;
    }
    await onEachStore(real, async ({ name, prefix, store }) => {
      const extension = { key: prefix + key, owner, leaseMs: leaseMs * SECOND, retentionMs: RETENTION_MS };
      const [outcome] = await store.extend([extension]);
      expect({ name, outcome }).toEqual({ name, outcome: isMine ? 'stored' : 'lost' });
    });
    await compareRows(model, real);
  },
  toString: () => `extend(${key} by ${owner}, ${leaseMs} s)`,
}));

const advances = constantFrom(1, 5, 10, 30, 45).map((seconds): Command => ({
  check: () => true,
  async run(model, { clock }) {
    model.now += seconds * SECOND;
    await clock.advance(seconds * SECOND);
  },
  toString: () => `advance(${seconds} s)`,
}));

const changes = record({
  key: constantFrom(...names),
  operation: constantFrom<OperationKind>('release', 'release', 'resolve', 'park', 'forget'),
  sees: constantFrom('it as it is', 'it as it is', 'it as it is', 'another owner', 'another attempt'),
  force: boolean(),
  owner: constantFrom('pat', 'sam'),
}).map(({ key, operation, sees, force, owner }): Command => ({
  check: () => true,
  async run(model, real) {
    const { status = 'PARKED', owner: holder = 'ann', attempt = 1 } = model.rows.get(key) ?? {};
    const change: Omit<ClaimOperation, 'key'> = {
      operation,
      seen: {
        status,
        owner: sees === 'another owner' ? 'a stranger' : holder,
        attempt: sees === 'another attempt' ? attempt + 1 : attempt,
      },
      owner,
      operator: owner,
      reason: 'by hand',
      force,
      retentionMs: PARKED_RETENTION_MS,
      ...(operation === 'resolve' && { result: '"done"' }),
    };
    const expected = changeInModel(model, key, change);
    await onEachStore(real, async ({ name, prefix, store }) => {
      const [outcome] = await store.change([{ ...change, key: prefix + key }]);
      expect({ name, outcome: outcome && endOf(outcome) }).toEqual({ name, outcome: expected });
    });
    await compareRows(model, real);
  },
  toString: () => `${operation}(${key} by ${owner}, who saw ${sees}${force ? ', forced' : ''})`,
}));

const lists = constantFrom('in-progress' as const, 'overdue' as const, 'parked' as const).map(
  (state): Command => ({
    check: () => true,
    async run({ now, rows }, real) {
      const expected = [...rows].flatMap(([key, row]) => {
        if (row.expiresAt <= now) return [];
        const isLive = row.leaseUntil > now;
        const states = { IN_PROGRESS: isLive ? 'in-progress' : 'overdue', PARKED: 'parked' } as const;
        const mine = row.status === 'IN_PROGRESS' || row.status === 'PARKED' ? states[row.status] : '';
        return state === mine ? [key] : [];
      });
      await onEachStore(real, async ({ name, prefix, store }) => {
        if (name === 'single') return; // a scan of all lives before
        const keys: string[] = [];
        const query = { keyPrefix: prefix, limit: 500, state };
        for await (const { key } of eachClaim(store, query)) keys.push(key.slice(prefix.length));
        expect({ name, keys: keys.toSorted() }).toEqual({ name, keys: expected.toSorted() });
      });
    },
    toString: () => `list(${state})`,
  }),
);

/** What an operation gives, without the claim. */
function endOf(outcome: OperateOutcome): string {
  return outcome.status === 'refused' ? outcome.why : outcome.status;
}

function changeInModel(
  { now, rows }: Model,
  key: string,
  { operation, seen, owner, force }: Omit<ClaimOperation, 'key'>,
): string {
  const row = rows.get(key);
  if (row === undefined || row.expiresAt <= now) return 'absent';
  if (row.owner === owner) return 'done';
  if (row.owner !== seen.owner || row.attempt !== seen.attempt) return 'changed';
  if (force !== true) {
    if (row.status === 'IN_PROGRESS' && now < row.leaseUntil) return 'running';
    if (row.status === 'COMPLETED' && (operation === 'release' || operation === 'park')) return 'completed';
  }
  if (operation === 'forget') return rows.delete(key) ? 'done' : 'absent';
  row.owner = owner;
  row.leaseUntil = Math.min(row.leaseUntil, now);
  row.expiresAt = Math.max(row.expiresAt, now + PARKED_RETENTION_MS);
  row.history = [...row.history, operation].slice(-10);
  row.error = undefined;
  if (operation === 'release') {
    row.status = 'FAILED';
    row.releases = row.attempt;
    row.crashes = 0;
  } else if (operation === 'resolve') {
    row.status = 'COMPLETED';
  } else {
    row.status = 'PARKED';
    row.error = { name: 'ParkedByOperator', message: 'by hand' };
  }
  return 'done';
}

function acquireInModel(
  { now, rows }: Model,
  key: string,
  owner: string,
  payloadHash: string | undefined,
): AcquireOutcome {
  const row = rows.get(key);
  const lives = row !== undefined && row.expiresAt > now;
  if (lives) {
    if (row.status === 'IN_PROGRESS' && row.owner === owner) return acquiredAs(row, false);
    if (payloadHash !== undefined && row.payloadHash !== undefined && payloadHash !== row.payloadHash) {
      return { status: 'mismatch' };
    }
    if (row.status === 'COMPLETED')
      return {
        status: 'duplicate',
        result: '"done"',
        completedAt: expect.any(Number) as never,
        expiresAt: expect.any(Number) as never,
      };
    if (row.status === 'PARKED') return { status: 'parked', error: row.error as StoredError };
    if (row.status === 'IN_PROGRESS' && now < row.leaseUntil) {
      return { status: 'conflict', leaseUntil: row.leaseUntil, attempt: row.attempt };
    }
  }
  const tookOver = lives && row.status === 'IN_PROGRESS';
  const next: Row = {
    status: 'IN_PROGRESS',
    owner,
    attempt: lives ? row.attempt + 1 : 1,
    releases: lives ? row.releases : 0,
    crashes: lives ? row.crashes + (tookOver ? 1 : 0) : 0,
    leaseUntil: now + LEASE_MS,
    expiresAt: now + LEASE_MS + RETENTION_MS,
    error: undefined,
    history: lives ? row.history : [],
    payloadHash,
  };
  rows.set(key, next);
  return acquiredAs(next, tookOver);
}

function acquiredAs({ attempt, releases, crashes, leaseUntil }: Row, tookOver: boolean): AcquireOutcome {
  return { status: 'acquired', attempt, releases, crashes, leaseUntil, tookOver };
}

const ENDS = { complete: 'COMPLETED', fail: 'FAILED', park: 'PARKED', release: 'FAILED' } as const;

function settleInModel(
  { now, rows }: Model,
  key: string,
  owner: string,
  end: Settlement['end'],
): SettleOutcome {
  const row = rows.get(key);
  if (row?.owner !== owner) return 'lost';
  const hasError = end === 'fail' || end === 'park';
  if (row.status === ENDS[end]) return (row.error !== undefined) === hasError ? 'stored' : 'lost';
  if (row.status !== 'IN_PROGRESS') return 'lost';
  row.status = ENDS[end];
  row.error = hasError ? ERROR : undefined;
  row.expiresAt = now + (end === 'park' ? PARKED_RETENTION_MS : RETENTION_MS);
  if (end === 'fail') row.crashes = 0;
  if (end === 'release') row.releases += 1;
  return 'stored';
}

function settlement(end: Settlement['end'], key: string, owner: string, releases: number): Settlement {
  const common = { key, owner, retentionMs: RETENTION_MS };
  switch (end) {
    case 'complete':
      return { ...common, end, result: '"done"' };
    case 'fail':
      return { ...common, end, error: ERROR };
    case 'park':
      return { ...common, end, error: ERROR, retentionMs: PARKED_RETENTION_MS };
    case 'release':
      return { ...common, end, releases };
  }
}

function onEachStore(
  { stores }: Real,
  run: (store: Real['stores'][number]) => Promise<void>,
): Promise<unknown> {
  return Promise.all(stores.map(run));
}

async function compareRows({ now, rows }: Model, real: Real): Promise<void> {
  await onEachStore(real, async ({ name, prefix, store }) => {
    const claims = await Promise.all(names.map((key) => store.inspect(prefix + key)));
    claims.forEach((claim, index) => {
      const row = rows.get(names[index] as string);
      const expected = row === undefined || row.expiresAt <= now ? undefined : rowAsClaim(row);
      expect({ name, claim: claim && shown(claim) }).toEqual({ name, claim: expected });
    });
  });
}

function rowAsClaim(row: Row): unknown {
  return {
    ...row,
    result: row.status === 'COMPLETED' ? '"done"' : undefined,
  };
}

/** What the model knows of a claim. */
function shown(claim: Claim): unknown {
  const { status, owner, attempt, releases, crashes, leaseUntil, expiresAt, payloadHash, error, result } =
    claim;
  return {
    status,
    owner,
    attempt,
    releases,
    crashes,
    leaseUntil,
    expiresAt,
    payloadHash,
    error,
    result,
    history: (claim.history ?? []).map(({ operation }) => operation),
  };
}
