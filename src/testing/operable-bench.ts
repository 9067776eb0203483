import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Settlement } from '../claims/claim-store.ts';
import type { Claim } from '../claims/claim.ts';
import type {
  ClaimOperation,
  OperableStore,
  OperateOutcome,
  OperationKind,
} from '../claims/operable-store.ts';
import { isOperable } from '../claims/operated.ts';
import { withOperations } from '../operations/operable-store.ts';
import { type Bench, type Contract, ERROR, RETENTION_MS } from './store-bench.ts';

/** A bench of a store that people can operate. */
export interface OperableBench extends Bench {
  readonly store: OperableStore;
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

/** The same contract for stores that can be operated on; others pass it. */
export function ofOperable(
  contract: Contract,
): (sentence: string, body: (bench: OperableBench) => Promise<void>) => void {
  return (sentence, body) =>
    contract(sentence, async (bench) => {
      if (!isOperable(bench.store)) return;
      const store = withOperations(bench.store);
      const stored: OperableBench['stored'] = async (name) => {
        const claim = await store.inspect(bench.key(name));
        assert(claim !== undefined, 'There is no claim');
        return claim;
      };
      const change: OperableBench['change'] = (operation, { key, status, owner, attempt }, members) => ({
        operation,
        key,
        seen: { status, owner, attempt },
        owner: randomUUID(),
        operator: 'pat@desk',
        reason: 'fixed in 1.4',
        retentionMs: RETENTION_MS,
        ...members,
      });
      const operate: OperableBench['operate'] = async (operation, name, members) => {
        const [outcome] = await store.operate([change(operation, await stored(name), members)]);
        return outcome;
      };
      await body({ ...bench, store, stored, change, operate });
    });
}

/** Makes a parked claim. */
export async function parked(
  { acquire, store, key }: OperableBench,
  name: string,
  retentionMs: number = RETENTION_MS,
): Promise<void> {
  const owner = randomUUID();
  await acquire(name, { owner, retentionMs });
  const park: Settlement = { end: 'park', key: key(name), owner, error: ERROR, retentionMs };
  assert.deepEqual(await store.settle([park]), ['stored']);
}
