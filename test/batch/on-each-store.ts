import { describe } from '@jest/globals';
import type { ClaimStore } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import type { ManualClock } from 'batchlatch/testing';
import { emulatedTable } from '../support/emulated-table.ts';

/**
 * Declares the same cases twice: on a store in memory, and on DynamoDB as dynoxide plays it. With
 * `BATCHLATCH_TEST_STORES=memory` in the environment it leaves DynamoDB out.
 */
export function onEachStore(cases: (makeStore: (clock: ManualClock) => ClaimStore) => void): void {
  describe('on memoryStore', () => {
    cases((clock) => memoryStore({ clock }));
  });
  if (process.env['BATCHLATCH_TEST_STORES'] === 'memory') return; // mutation testing, see scripts/mutation.sh
  describe('on dynamoDBStore', () => {
    const table = emulatedTable('dynoxide');
    cases((clock) => dynamoDBStore({ tableName: table.tableName, client: table.newClient(), clock }));
  });
}

/** Asks again and again, at the event loop's own pace, until it is so; fails after ten seconds. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  const givesUpAt = performance.now() + 10_000;
  while (!(await isSo())) {
    if (performance.now() > givesUpAt) throw new Error('It does not come to be so');
    await turn();
  }
}

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
