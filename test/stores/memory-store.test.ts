import { itself } from '../support/store-and-admin.ts';
import { describe, expect, it } from '@jest/globals';
import type { Claim, ClaimStatus } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import type { ClaimAdmin } from 'batchlatch/operations';
import { describeClaimStore, type RowsSubject } from 'batchlatch/testing';
import { claimRequests, LEASE_MS, RETENTION_MS } from '../support/claim-builders.ts';
import { countersInMemory } from '../support/counters-in-memory.ts';

const { onCommit, ...commit } = countersInMemory();

let store: ClaimAdmin;

/** A process has rows of a newer version only where `adopt` was given claims of another store. */
const rows: RowsSubject = {
  async makeNewer(key, format) {
    // Of the one that is past its retention nothing is told.
    const claim = (await store.read(key)) ?? forgotten(key);
    const { status, owner, attempt } = claim;
    const forget = { operation: 'forget', key, seen: { status, owner, attempt }, force: true } as const;
    await store.change([{ ...forget, owner: 'x', operator: 'x', reason: 'x', retentionMs: 1 }]);
    const newer = { ...claim, status: `${status}${format}` as ClaimStatus };
    expect(await store.adopt?.([newer])).toEqual(['stored']);
  },
  read: async (key) => store.read(key).catch(String),
};

function forgotten(key: string): Claim {
  const counts = { attempt: 1, releases: 0, crashes: 0 };
  const times = { createdAt: 1, updatedAt: 1, leaseUntil: 2, expiresAt: 3 };
  return { key, status: 'IN_PROGRESS', owner: 'forgotten', ...counts, ...times };
}

describeClaimStore(
  {
    name: 'memoryStore',
    admin: itself,
    create: (clock) => (store = memoryStore({ clock, onCommit })),
    commit,
    rows,
  },
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
