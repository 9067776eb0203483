import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type {
  ClaimAdmin,
  ClaimOperation,
  ClaimPage,
  ClaimQuery,
  ClaimState,
  OperateOutcome,
  OperationKind,
} from '../claims/claim-admin.ts';
import { defined } from '../base/defined.ts';
import type { AcquireOutcome, ClaimRequest, ClaimStore, Settlement } from '../claims/claim-store.ts';
import type { Claim } from '../claims/claim.ts';
import type { ManualClock } from './manual-clock.ts';

export const LEASE_MS = 30_000;
/** A whole number of seconds: stores may round times up to a second. */
export const RETENTION_MS = 3_600_000;
export const ERROR = { name: 'Error', message: 'card declined', code: 'DECLINED' };

/** A store, a manual clock, and builders for unique keys. */
export interface Bench {
  readonly store: ClaimStore;
  /** The admin of the same claims; undefined if the store has none. */
  readonly admin: ClaimAdmin | undefined;
  readonly clock: ManualClock;
  /** Returns a key that is unique to this test. */
  key(name: string): string;
  request(name: string, members?: Partial<ClaimRequest>): ClaimRequest;
  acquire(name: string, members?: Partial<ClaimRequest>): Promise<AcquireOutcome>;
  settlement(members: { key: string; owner: string }): Settlement;
  complete(
    name: string,
    owner: string,
    members?: { result?: string; retentionMs?: number },
  ): Promise<unknown>;
  fail(name: string, owner: string): Promise<unknown>;
  park(name: string, owner: string, members?: { retentionMs?: number }): Promise<unknown>;
  release(name: string, owner: string, releases: number): Promise<unknown>;
}

export const KINDS: readonly OperationKind[] = ['release', 'resolve', 'park', 'forget'];
export const STATES: readonly ClaimState[] = ['in-progress', 'overdue', 'failed', 'parked', 'completed'];

/** A function that defines a test of the contract with a bench of its own. */
export type Contract = (sentence: string, body: (bench: Bench) => Promise<void>) => void;

export function bench(store: ClaimStore, admin: ClaimAdmin | undefined, clock: ManualClock): Bench {
  const prefix = randomUUID();
  const key = (name: string): string => `${prefix}#v1:${name}`;
  const request: Bench['request'] = (name, members) => ({
    key: key(name),
    owner: randomUUID(),
    leaseMs: LEASE_MS,
    retentionMs: RETENTION_MS,
    ...members,
  });
  const of = (name: string, owner: string): Pick<Settlement, 'key' | 'owner' | 'retentionMs'> => ({
    key: key(name),
    owner,
    retentionMs: RETENTION_MS,
  });
  const settle = async (one: Settlement): Promise<unknown> => only(await store.settle([one]));
  return {
    store,
    admin,
    clock,
    key,
    request,
    settlement: (members) => ({ end: 'complete', retentionMs: RETENTION_MS, ...members }),
    acquire: async (name, members) => only(await store.acquire([request(name, members)])),
    complete: (name, owner, members) => settle({ end: 'complete', ...of(name, owner), ...members }),
    fail: (name, owner) => settle({ end: 'fail', error: ERROR, ...of(name, owner) }),
    park: (name, owner, members) => settle({ end: 'park', error: ERROR, ...of(name, owner), ...members }),
    release: (name, owner, releases) => settle({ end: 'release', releases, ...of(name, owner) }),
  };
}

function only<Item>(items: readonly Item[]): Item {
  assert.equal(items.length, 1);
  return items[0] as Item;
}

/** A bench of a store with an admin. */
export interface AdminBench extends Bench {
  readonly admin: ClaimAdmin;
  stored(name: string): Promise<Claim>;
  change(operation: OperationKind, seen: Claim, members?: Partial<ClaimOperation>): ClaimOperation;
  /** Changes a claim as it is stored now. */
  operate(
    operation: OperationKind,
    name: string,
    members?: Partial<ClaimOperation>,
  ): Promise<OperateOutcome | undefined>;
}

/** Returns the contract for stores with an admin; other stores skip the test. */
export function ofAdmin(
  contract: Contract,
): (sentence: string, body: (bench: AdminBench) => Promise<void>) => void {
  return (sentence, body) =>
    contract(sentence, async (bench) => {
      const { admin } = bench;
      if (admin === undefined) return;
      const stored: AdminBench['stored'] = async (name) => {
        const claim = await admin.read(bench.key(name));
        assert(claim !== undefined, 'There is no claim');
        return claim;
      };
      const change: AdminBench['change'] = (operation, { key, status, owner, attempt }, members) => ({
        operation,
        key,
        seen: { status, owner, attempt },
        owner: randomUUID(),
        operator: 'pat@desk',
        reason: 'fixed in 1.4',
        retentionMs: RETENTION_MS,
        ...members,
      });
      const operate: AdminBench['operate'] = async (operation, name, members) => {
        const [outcome] = await admin.change([change(operation, await stored(name), members)]);
        return outcome;
      };
      await body({ ...bench, admin, stored, change, operate });
    });
}

export async function parked(
  { acquire, park }: AdminBench,
  name: string,
  retentionMs: number = RETENTION_MS,
): Promise<void> {
  const owner = randomUUID();
  await acquire(name, { owner, retentionMs });
  assert.equal(await park(name, owner, { retentionMs }), 'stored');
}

export async function pagesOf(admin: ClaimAdmin, query: ClaimQuery): Promise<ClaimPage[]> {
  const pages: ClaimPage[] = [];
  let cursor: string | undefined;
  do {
    const page = await admin.list({ ...query, ...defined({ cursor }) });
    pages.push(page);
    cursor = page.next;
  } while (cursor !== undefined);
  return pages;
}

export function keysOf(claims: readonly Claim[]): string[] {
  return claims.map(({ key }) => key);
}

export function statusesOf<Status>(outcomes: readonly { readonly status: Status }[]): Status[] {
  return outcomes.map(({ status }) => status);
}

/** Tries every write that an owner may make, and returns the outcomes. */
export async function everyWrite({ store, key }: Bench, name: string, owner: string): Promise<unknown[]> {
  const common = { key: key(name), owner, retentionMs: RETENTION_MS };
  const writes: Settlement[] = [
    { ...common, end: 'complete', result: '"late"' },
    { ...common, end: 'fail', error: ERROR },
    { ...common, end: 'park', error: ERROR },
    { ...common, end: 'release', releases: 0 },
  ];
  const outcomes: unknown[] = [];
  for (const write of writes) outcomes.push(...(await store.settle([write])));
  outcomes.push(...(await store.extend([{ ...common, leaseMs: LEASE_MS }])));
  return outcomes;
}

/** Returns the outcome, and asserts its status. */
export function withStatus<Status extends AcquireOutcome['status']>(
  outcome: AcquireOutcome | undefined,
  status: Status,
): Extract<AcquireOutcome, { status: Status }> {
  assert.equal(outcome?.status, status);
  return outcome as Extract<AcquireOutcome, { status: Status }>;
}

/** Makes a claim in each state, named after the state. */
export async function oneOfEach({ acquire, complete, fail, park, clock }: Bench): Promise<void> {
  for (const name of ['overdue', 'failed', 'parked', 'completed']) await acquire(name, { owner: name });
  await fail('failed', 'failed');
  await park('parked', 'parked');
  await complete('completed', 'completed', { result: '1' });
  await clock.advance(LEASE_MS);
  await acquire('in-progress', { owner: 'in-progress' });
}
