import assert from 'node:assert/strict';
import { type Contract, LEASE_MS } from '../store-bench.ts';
import { everyWrite } from './every-write.ts';

/** What an owner can no longer do once the next one has the claim. */
export function describeLateOwner(contract: Contract): void {
  contract('can neither complete, fail, park, release nor extend the claim of the next', async (bench) => {
    const { store, acquire, key, clock } = bench;
    await acquire('overrun', { owner: 'late' });
    await clock.advance(LEASE_MS);
    await acquire('overrun', { owner: 'next' });
    const before = await store.inspect(key('overrun'));
    assert.deepEqual(await everyWrite(bench, 'overrun', 'late'), ['lost', 'lost', 'lost', 'lost', 'lost']);
    assert.deepEqual(await store.inspect(key('overrun')), before);
  });

  contract('cannot change a completion of the next either', async (bench) => {
    const { store, acquire, complete, key, clock } = bench;
    await acquire('overrun', { owner: 'late' });
    await clock.advance(LEASE_MS);
    await acquire('overrun', { owner: 'next' });
    await complete('overrun', 'next', { result: '"of the next"' });
    const before = await store.inspect(key('overrun'));
    assert.deepEqual(await everyWrite(bench, 'overrun', 'late'), ['lost', 'lost', 'lost', 'lost', 'lost']);
    assert.deepEqual(await store.inspect(key('overrun')), before);
  });

  contract('still settles when nobody took over', async ({ acquire, complete, clock }) => {
    await acquire('slow', { owner: 'late' });
    await clock.advance(LEASE_MS * 3);
    assert.equal(await complete('slow', 'late'), 'stored');
    assert.equal((await acquire('slow')).status, 'duplicate');
  });

  contract('loses when there is no row at all', async ({ store, key, settlement }) => {
    assert.deepEqual(await store.settle([settlement({ key: key('never'), owner: 'me' })]), ['lost']);
    assert.equal(await store.inspect(key('never')), undefined);
  });
}
