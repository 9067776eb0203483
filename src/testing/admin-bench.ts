import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Settlement } from '../claims/claim-store.ts';
import type { Claim } from '../claims/claim.ts';
import type { ClaimOperation, ClaimAdmin, OperateOutcome, OperationKind } from '../claims/claim-admin.ts';
import { type Bench, type Contract, ERROR, RETENTION_MS } from './store-bench.ts';

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
