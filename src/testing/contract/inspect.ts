import assert from 'node:assert/strict';
import { type Contract, LEASE_MS, RETENTION_MS } from '../store-bench.ts';

/** What is shown of a row. */
export function describeInspect(contract: Contract): void {
  contract('shows the row as it is stored', async ({ store, acquire, key, clock }) => {
    await acquire('seen', { owner: 'me', lockedBy: 'function:1 request', payloadHash: 'abc' });
    assert.deepEqual(await store.inspect(key('seen')), {
      key: key('seen'),
      status: 'IN_PROGRESS',
      owner: 'me',
      attempt: 1,
      releases: 0,
      crashes: 0,
      leaseUntil: clock.now() + LEASE_MS,
      expiresAt: clock.now() + LEASE_MS + RETENTION_MS,
      createdAt: clock.now(),
      updatedAt: clock.now(),
      lockedBy: 'function:1 request',
      payloadHash: 'abc',
    });
  });

  contract('shows a lapsed claim, and nothing where nothing is', async ({ store, acquire, key, clock }) => {
    await acquire('lapsed');
    await clock.advance(LEASE_MS * 2);
    assert.equal((await store.inspect(key('lapsed')))?.status, 'IN_PROGRESS');
    assert.equal(await store.inspect(key('nothing')), undefined);
  });
}
