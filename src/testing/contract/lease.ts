import assert from 'node:assert/strict';
import { type Contract, LEASE_MS, RETENTION_MS } from '../store-bench.ts';

/** Tests how stores with `start` tell a crash from a claim that never started. */
export function describeStart(contract: Contract): void {
  contract(
    'distinguishes a crash from a claim that never started',
    async ({ store, acquire, key, clock }) => {
      if (store.start === undefined) return;
      await acquire('waited', { owner: 'me', recordsStart: true });
      await acquire('ran', { owner: 'me', recordsStart: true });
      await acquire('unrecorded', { owner: 'me' });
      assert.deepEqual(await store.start([{ key: key('ran'), owner: 'me' }]), ['stored']);
      await clock.advance(LEASE_MS);
      const numbers = async (name: string): Promise<unknown> => {
        const outcome = await acquire(name);
        return outcome.status === 'acquired' && [outcome.attempt, outcome.releases, outcome.crashes];
      };
      assert.deepEqual(await numbers('waited'), [2, 1, 0]);
      assert.deepEqual(await numbers('ran'), [2, 0, 1]);
      assert.deepEqual(await numbers('unrecorded'), [2, 0, 1]);
    },
  );

  contract('starts again with each attempt', async ({ store, acquire, fail, key, clock }) => {
    if (store.start === undefined) return;
    await acquire('twice', { owner: 'first', recordsStart: true });
    await store.start([{ key: key('twice'), owner: 'first' }]);
    await fail('twice', 'first');
    await acquire('twice', { owner: 'second', recordsStart: true });
    await clock.advance(LEASE_MS);
    const outcome = await acquire('twice');
    assert.deepEqual(outcome.status === 'acquired' && [outcome.releases, outcome.crashes], [1, 0]);
  });

  contract('is refused for an owner that lost the claim, and may be repeated', async (bench) => {
    const { store, acquire, complete, key, clock } = bench;
    if (store.start === undefined) return;
    await acquire('late', { owner: 'first', leaseMs: 1_000, recordsStart: true });
    await clock.advance(1_000);
    await acquire('late', { owner: 'second', recordsStart: true });
    const second = { key: key('late'), owner: 'second' };
    assert.deepEqual(
      await store.start([
        { key: key('late'), owner: 'first' },
        { key: key('never'), owner: 'first' },
      ]),
      ['lost', 'lost'],
    );
    assert.deepEqual(await store.start([second]), ['stored']);
    assert.deepEqual(await store.start([second]), ['stored']);
    await complete('late', 'second');
    assert.deepEqual(await store.start([second]), ['lost']);
  });
}

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
