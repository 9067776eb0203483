import assert from 'node:assert/strict';
import { type Contract, ERROR, everyWrite, LEASE_MS, withStatus } from '../store-bench.ts';

export function describeSettle(contract: Contract): void {
  contract('remembers a completion with its result for the retention, then forgets it', async (bench) => {
    const { acquire, complete, clock } = bench;
    await acquire('done', { owner: 'first' });
    assert.equal(await complete('done', 'first', { result: '[1,2]', retentionMs: 60_000 }), 'stored');
    const completedAt = clock.now();
    await clock.advance(59_000);
    const duplicate = withStatus(await acquire('done'), 'duplicate');
    assert.deepEqual([duplicate.result, duplicate.completedAt], ['[1,2]', completedAt]);
    // A TTL may round the expiry up by less than a second.
    const expiresAt = duplicate.expiresAt ?? completedAt + 60_000;
    assert.ok(expiresAt >= completedAt + 60_000 && expiresAt < completedAt + 61_000);
    await clock.advance(2_000);
    const again = withStatus(await acquire('done'), 'acquired');
    assert.deepEqual([again.attempt, again.tookOver], [1, false]);
  });

  contract('forgets nothing of the old life of a key in its new one', async (bench) => {
    const { store, acquire, complete, key, clock } = bench;
    await acquire('reborn', { owner: 'first', payloadHash: 'a', lockedBy: 'somebody' });
    await complete('reborn', 'first', { result: '"old"', retentionMs: 1_000 });
    await clock.advance(3_000);
    await acquire('reborn', { owner: 'second' });
    const claim = await store.inspect(key('reborn'));
    assert.equal(claim?.status, 'IN_PROGRESS');
    assert.deepEqual(
      [claim.result, claim.completedAt, claim.error, claim.payloadHash, claim.lockedBy],
      [undefined, undefined, undefined, undefined, undefined],
    );
  });

  contract('lets a failed key be claimed at once, as the next attempt, without a crash', async (bench) => {
    const { store, acquire, fail, key } = bench;
    await acquire('failed', { owner: 'first' });
    assert.equal(await fail('failed', 'first'), 'stored');
    assert.deepEqual((await store.inspect(key('failed')))?.error, ERROR);
    const next = withStatus(await acquire('failed'), 'acquired');
    assert.deepEqual([next.attempt, next.crashes, next.tookOver], [2, 0, false]);
    assert.equal((await store.inspect(key('failed')))?.error, undefined);
  });

  contract('ends a row of crashes with a settled failure', async ({ acquire, fail, clock }) => {
    await acquire('shaky', { owner: 'first' });
    await clock.advance(LEASE_MS);
    await acquire('shaky', { owner: 'second' });
    await fail('shaky', 'second');
    assert.equal(withStatus(await acquire('shaky'), 'acquired').crashes, 0);
  });

  // Shorter and longer than the claim's retention before.
  for (const retentionMs of [60_000, 90 * 24 * 3_600_000]) {
    contract(
      `does not run a parked key for the ${retentionMs} ms of its retention, then forgets it`,
      async (bench) => {
        const { store, acquire, park, key, clock } = bench;
        await acquire('poison', { owner: 'first' });
        assert.equal(await park('poison', 'first', { retentionMs }), 'stored');
        assert.equal(await park('poison', 'first', { retentionMs }), 'stored'); // the response was lost
        assert.equal((await store.inspect(key('poison')))?.expiresAt, clock.now() + retentionMs);
        await clock.advance(retentionMs - 1_000);
        assert.deepEqual(await acquire('poison'), { status: 'parked', error: ERROR });
        await clock.advance(2_000);
        const again = withStatus(await acquire('poison'), 'acquired');
        assert.deepEqual([again.attempt, again.tookOver], [1, false]);
        assert.equal((await store.inspect(key('poison')))?.error, undefined);
      },
    );
  }

  contract(
    'counts a release as no attempt, keeps crashes, and never takes an attempt number back',
    async (bench) => {
      const { store, acquire, release, key, clock } = bench;
      await acquire('unlucky', { owner: 'first' });
      await clock.advance(LEASE_MS);
      await acquire('unlucky', { owner: 'second' });
      assert.equal(await release('unlucky', 'second', 0), 'stored');
      assert.equal((await store.inspect(key('unlucky')))?.status, 'FAILED');
      const third = withStatus(await acquire('unlucky'), 'acquired');
      assert.deepEqual([third.attempt, third.releases, third.crashes], [3, 1, 1]);
    },
  );

  contract('settles many at once, each by itself', async ({ store, request, settlement }) => {
    const requests = Array.from({ length: 60 }, (_, index) => request(`many-${index}`));
    await store.acquire(requests);
    const settlements = requests.map(({ key, owner }, index) =>
      settlement({ key, owner: index % 3 === 0 ? 'a stranger' : owner }),
    );
    const expected = requests.map((_, index) => (index % 3 === 0 ? 'lost' : 'stored'));
    assert.deepEqual(await store.settle(settlements), expected);
  });

  contract('meets its own settlement when the answer was lost: stored', async (bench) => {
    const { acquire, complete, fail, release } = bench;
    for (const end of [complete, fail]) {
      await acquire(`resent-${end.name}`, { owner: 'me' });
      assert.equal(await end(`resent-${end.name}`, 'me'), 'stored');
      assert.equal(await end(`resent-${end.name}`, 'me'), 'stored');
    }
    await acquire('resent-release', { owner: 'me' });
    assert.equal(await release('resent-release', 'me', 0), 'stored');
    assert.equal(await release('resent-release', 'me', 0), 'stored');
  });
}

/** Tests what an owner can no longer do once another attempt holds the claim. */
export function describeLateOwner(contract: Contract): void {
  for (const [sentence, isCompleted] of [
    ['can neither complete, fail, park, release nor extend the claim of the next', false],
    ['cannot change a completion of the next either', true],
  ] as const) {
    contract(sentence, async (bench) => {
      const { store, acquire, complete, key, clock } = bench;
      await acquire('overrun', { owner: 'late' });
      await clock.advance(LEASE_MS);
      await acquire('overrun', { owner: 'next' });
      if (isCompleted) await complete('overrun', 'next', { result: '"of the next"' });
      const before = await store.inspect(key('overrun'));
      assert.deepEqual(await everyWrite(bench, 'overrun', 'late'), Array(5).fill('lost'));
      assert.deepEqual(await store.inspect(key('overrun')), before);
    });
  }

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
