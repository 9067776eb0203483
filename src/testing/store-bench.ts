import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ClaimAdmin, ClaimOperation, OperateOutcome, OperationKind } from '../claims/claim-admin.ts';
import type { AcquireOutcome, ClaimRequest, ClaimStore, Settlement } from '../claims/claim-store.ts';
import type { Claim } from '../claims/claim.ts';
import type { ManualClock } from './manual-clock.ts';

export const LEASE_MS = 30_000;
/** Whole seconds, like every time in these tests: a store may round what it keeps up to a second. */
export const RETENTION_MS = 3_600_000;
export const ERROR = { name: 'Error', message: 'card declined', code: 'DECLINED' };

/** A store, a clock that stands still, and builders for unique keys. */
export interface Bench {
  readonly store: ClaimStore;
  /** Of the same claims; undefined where the store has none. */
  readonly admin: ClaimAdmin | undefined;
  readonly clock: ManualClock;
  /** The key of this test by this name. */
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
  release(name: string, owner: string, releases: number): Promise<unknown>;
}

/** Defines a test of the contract, which gets a bench of its own. */
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
  const settlement: Bench['settlement'] = (members) => ({
    end: 'complete',
    retentionMs: RETENTION_MS,
    ...members,
  });
  return {
    store,
    admin,
    clock,
    key,
    request,
    settlement,
    acquire: async (name, members) => only(await store.acquire([request(name, members)])),
    complete: async (name, owner, members) =>
      only(
        await store.settle([
          { end: 'complete', key: key(name), owner, retentionMs: RETENTION_MS, ...members },
        ]),
      ),
    fail: async (name, owner) =>
      only(
        await store.settle([{ end: 'fail', key: key(name), owner, error: ERROR, retentionMs: RETENTION_MS }]),
      ),
    release: async (name, owner, releases) =>
      only(
        await store.settle([{ end: 'release', key: key(name), owner, releases, retentionMs: RETENTION_MS }]),
      ),
  };
}

function only<Item>(items: readonly Item[]): Item {
  assert.equal(items.length, 1);
  return items[0] as Item;
}

/** A bench of a store with an admin. */
export interface AdminBench extends Bench {
  readonly admin: ClaimAdmin;
  /** The claim as it is stored. */
  stored(name: string): Promise<Claim>;
  /** A change of a claim that was seen. */
  change(operation: OperationKind, seen: Claim, members?: Partial<ClaimOperation>): ClaimOperation;
  /** Changes a claim as it is stored now. */
  operate(
    operation: OperationKind,
    name: string,
    members?: Partial<ClaimOperation>,
  ): Promise<OperateOutcome | undefined>;
}

/** The same contract for stores with an admin; others pass it. */
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

/** Makes a parked claim. */
export async function parked(
  { acquire, store, key }: AdminBench,
  name: string,
  retentionMs: number = RETENTION_MS,
): Promise<void> {
  const owner = randomUUID();
  await acquire(name, { owner, retentionMs });
  const park: Settlement = { end: 'park', key: key(name), owner, error: ERROR, retentionMs };
  assert.deepEqual(await store.settle([park]), ['stored']);
}
