import type { SettleOutcome, Settlement } from './claim-store.ts';

/** Of several calls, one that rejects says nothing about the settlements of the others. */
export async function settleOrFail(
  settlements: readonly Settlement[],
  settled: Promise<SettleOutcome[]>,
): Promise<SettleOutcome[]> {
  try {
    return await settled;
  } catch (thrown) {
    return settlements.map(() => ({ error: thrown as Error }));
  }
}
