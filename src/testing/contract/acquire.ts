import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Contract, LEASE_MS, RETENTION_MS, statusesOf, withStatus } from '../store-bench.ts';

export function describeAcquire(contract: Contract): void {
  contract('gives an absent key to the first request, as attempt 1', async ({ acquire, clock }) => {
    assert.deepEqual(await acquire('new'), {
      status: 'acquired',
      attempt: 1,
      releases: 0,
      crashes: 0,
      leaseUntil: clock.now() + LEASE_MS,
      tookOver: false,
    });
  });

  contract('answers one outcome per request, in order', async ({ store, request, acquire, complete }) => {
    await acquire('busy');
    await acquire('done', { owner: 'first' });
    await complete('done', 'first', { result: '{"total":3}' });
    const outcomes = await store.acquire([request('busy'), request('free'), request('done')]);
    assert.deepEqual(statusesOf(outcomes), ['conflict', 'acquired', 'duplicate']);
    assert.equal(withStatus(outcomes[2], 'duplicate').result, '{"total":3}');
  });

  contract('takes none and gives none', async ({ store }) => {
    assert.deepEqual(await store.acquire([]), []);
    assert.deepEqual(await store.settle([]), []);
    assert.deepEqual(await store.extend([]), []);
  });

  contract('takes more requests than fit into one request to a store', async ({ store, request }) => {
    const many = Array.from({ length: 120 }, (_, index) => request(`many-${index}`));
    assert.deepEqual(statusesOf(await store.acquire(many)), Array(120).fill('acquired'));
    const again = await store.acquire(many.map((one) => ({ ...one, owner: randomUUID() })));
    assert.deepEqual(statusesOf(again), Array(120).fill('conflict'));
  });

  contract('says who holds a live lease until when, and leaves the row alone', async (bench) => {
    const { store, acquire, key, clock } = bench;
    await acquire('busy');
    const before = await store.inspect(key('busy'));
    await clock.advance(LEASE_MS - 1);
    const outcome = withStatus(await acquire('busy'), 'conflict');
    assert.equal(outcome.leaseUntil, before?.leaseUntil);
    assert.deepEqual(await store.inspect(key('busy')), before);
  });

  contract('lets a lapsed lease be taken over in the same call, and counts the crash', async (bench) => {
    const { acquire, clock } = bench;
    await acquire('dead', { owner: 'first' });
    await clock.advance(LEASE_MS);
    const second = withStatus(await acquire('dead', { owner: 'second' }), 'acquired');
    assert.deepEqual([second.attempt, second.tookOver, second.crashes], [2, true, 1]);
    assert.equal(second.leaseUntil, clock.now() + LEASE_MS);
    await clock.advance(LEASE_MS);
    const third = withStatus(await acquire('dead', { isRedelivery: true }), 'acquired');
    assert.deepEqual([third.attempt, third.tookOver, third.crashes], [3, true, 2]);
  });

  contract('gives the key to exactly one of 20 racing claims', async ({ acquire }) => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => acquire('contended')));
    assert.deepEqual(statusesOf(outcomes).toSorted(), ['acquired', ...Array(19).fill('conflict')]);
  });

  contract('gives a lapsed key to exactly one of 20 racing takeovers', async ({ acquire, clock }) => {
    await acquire('contended');
    await clock.advance(LEASE_MS);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => acquire('contended', { isRedelivery: index % 2 === 0 })),
    );
    assert.deepEqual(statusesOf(outcomes).toSorted(), ['acquired', ...Array(19).fill('conflict')]);
  });

  contract('meets its own write when the answer was lost: acquired, same attempt', async ({ acquire }) => {
    const first = await acquire('resent', { owner: 'me' });
    const again = await acquire('resent', { owner: 'me' });
    assert.equal(first.status, 'acquired');
    assert.deepEqual(again, first);
  });

  contract('reads rows of redeliveries first, with the same outcomes', async (bench) => {
    const { acquire, complete } = bench;
    assert.equal((await acquire('absent', { isRedelivery: true })).status, 'acquired');
    assert.equal((await acquire('absent', { isRedelivery: true })).status, 'conflict');
    await acquire('done', { owner: 'first' });
    await complete('done', 'first');
    assert.equal((await acquire('done', { isRedelivery: true })).status, 'duplicate');
  });

  contract(
    'refuses another payload under the same key in every state, and changes nothing',
    async (bench) => {
      const { store, acquire, complete, fail, key, clock } = bench;
      await acquire('busy', { payloadHash: 'a' });
      await acquire('done', { payloadHash: 'a', owner: 'first' });
      await complete('done', 'first');
      await acquire('failed', { payloadHash: 'a', owner: 'first' });
      await fail('failed', 'first');
      await acquire('lapsed', { payloadHash: 'a', leaseMs: 1 });
      await clock.advance(1);
      for (const name of ['busy', 'done', 'failed', 'lapsed']) {
        const before = await store.inspect(key(name));
        assert.deepEqual(await acquire(name, { payloadHash: 'b' }), { status: 'mismatch' });
        assert.deepEqual(await store.inspect(key(name)), before);
      }
      assert.equal((await acquire('done', { payloadHash: 'a' })).status, 'duplicate');
    },
  );

  contract('keeps keys that differ in one character apart', async ({ store, request }) => {
    const names = ['a', 'A', 'á', 'a ', "a'", 'a"', 'a`', 'a\u0000', 'a?', '🎈'];
    const outcomes = await store.acquire(names.map((name) => request(name)));
    assert.deepEqual(new Set(statusesOf(outcomes)), new Set(['acquired']));
  });
}

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
