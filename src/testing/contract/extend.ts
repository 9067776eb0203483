import assert from 'node:assert/strict';
import { type Contract, LEASE_MS, RETENTION_MS } from '../store-bench.ts';

/** How a lease is prolonged. */
export function describeExtend(contract: Contract): void {
  contract('makes the lease last from now', async ({ store, acquire, key, clock }) => {
    await acquire('long', { owner: 'me' });
    await clock.advance(LEASE_MS - 1);
    const extension = { key: key('long'), owner: 'me', leaseMs: LEASE_MS, retentionMs: RETENTION_MS };
    assert.deepEqual(await store.extend([extension]), ['stored']);
    await clock.advance(LEASE_MS - 1);
    assert.equal((await acquire('long')).status, 'conflict');
    await clock.advance(1);
    assert.equal((await acquire('long')).status, 'acquired');
    assert.deepEqual(await store.extend([extension]), ['lost']);
  });

  contract('never makes a lease shorter, whichever of two extensions arrives last', async (bench) => {
    const { store, acquire, key, clock } = bench;
    await acquire('long', { owner: 'me' });
    const extension = { key: key('long'), owner: 'me', leaseMs: LEASE_MS * 3, retentionMs: RETENTION_MS };
    assert.deepEqual(await store.extend([extension]), ['stored']);
    assert.deepEqual(await store.extend([{ ...extension, leaseMs: LEASE_MS }]), ['stored']);
    assert.equal((await store.inspect(key('long')))?.leaseUntil, clock.now() + LEASE_MS * 3);
  });
}
