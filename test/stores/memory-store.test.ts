import { describe, expect, it } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import { describeClaimStore } from 'batchlatch/testing';
import { claimRequests, LEASE_MS, RETENTION_MS } from '../support/claim-builders.ts';
import { countersInMemory } from '../support/counters-in-memory.ts';

const { onCommit, ...commit } = countersInMemory();

describeClaimStore(
  { name: 'memoryStore', create: (clock) => memoryStore({ clock, onCommit }), commit },
  { describe, it },
);

describe('memoryStore', () => {
  it('lets go of rows that are forgotten, and of no others', async () => {
    let now = 0;
    const store = memoryStore({ clock: { now: () => now }, clockToleranceMs: 10 });
    const early = claimRequests(2_000);
    await store.acquire(early);
    const late = claimRequests(1);
    now = 1;
    await store.acquire(late);
    now = LEASE_MS + RETENTION_MS + 10;
    for (const request of claimRequests(4_000)) await store.acquire([request]);

    now = 0; // a time at which none of them was forgotten: what is not there now is gone
    const left = await Promise.all([...early, ...late].map(({ key }) => store.inspect(key)));
    expect(left.filter((claim) => claim !== undefined)).toMatchObject([{ key: late[0]?.key }]);
  });
});
