import assert from 'node:assert/strict';
import type { CommitOutcome } from '../../claims/commit.ts';
import { type Bench, type Contract, RETENTION_MS } from '../store-bench.ts';

/** Effects for the tests of `commit`: counters, which show if something happens twice. */
export interface CommitSubject {
  /**
   * Returns an effect for the store's `commit` that increments the named counters. Names may be any strings.
   *
   * @param names The counters that the effect increments.
   */
  readonly effect: (names: readonly string[]) => unknown;
  /**
   * Returns the same effect with an additional condition that fails.
   *
   * @param names The counters that the effect would increment.
   */
  readonly refusedEffect: (names: readonly string[]) => unknown;
  /**
   * Returns a stored counter; 0 if it does not exist.
   *
   * @param name The name of the counter.
   */
  readonly read: (name: string) => number | Promise<number>;
}

export function describeCommit({ effect, refusedEffect, read }: CommitSubject, contract: Contract): void {
  function commit(bench: Bench, name: string, owner: string, what: unknown): Promise<CommitOutcome> {
    assert(bench.store.commit !== undefined, 'The store has no commit()');
    const completion = { end: 'complete', key: bench.key(name), owner, retentionMs: RETENTION_MS } as const;
    return bench.store.commit({ ...completion, result: '"done"' }, what);
  }

  contract('writes the effect and the completion together', async (bench) => {
    const { acquire, store, key, clock } = bench;
    await acquire('paid', { owner: 'me' });
    const both = effect([key('a'), key('b')]);
    assert.equal(await commit(bench, 'paid', 'me', both), 'stored');
    assert.deepEqual([await read(key('a')), await read(key('b'))], [1, 1]);
    const claim = await store.inspect(key('paid'));
    assert.deepEqual([claim?.status, claim?.owner, claim?.result], ['COMPLETED', 'me', '"done"']);
    assert.equal((await acquire('paid')).status, 'duplicate');
    assert.equal(claim?.completedAt, clock.now());
  });

  contract('is done once when its answer was lost and it is asked for again', async (bench) => {
    const { acquire, key } = bench;
    await acquire('resent', { owner: 'me' });
    for (let time = 1; time <= 3; time += 1) {
      assert.equal(await commit(bench, 'resent', 'me', effect([key('a')])), 'stored');
    }
    assert.equal(await read(key('a')), 1);
  });

  contract('is done once when five sendings of it arrive at the same time', async (bench) => {
    const { acquire, key } = bench;
    await acquire('racing', { owner: 'me' });
    const one = effect([key('a')]);
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => commit(bench, 'racing', 'me', one)));
    assert.deepEqual(new Set(outcomes), new Set(['stored']));
    assert.equal(await read(key('a')), 1);
  });

  contract('is done for each of ten claims whose effects meet in one place', async (bench) => {
    const { store, request, key } = bench;
    const names = Array.from({ length: 10 }, (_, index) => `meeting-${index}`);
    await store.acquire(names.map((name) => request(name, { owner: name })));
    // Clients may give up on a contended item, so the test counts the outcomes they report.
    const outcomes = await Promise.all(
      names.map((name) => commit(bench, name, name, effect([key('meeting place')]))),
    );
    const claims = await Promise.all(names.map((name) => store.inspect(key(name))));
    const completed = claims.filter((claim) => claim?.status === 'COMPLETED').length;
    assert.equal(outcomes.filter((outcome) => outcome === 'stored').length, completed);
    assert.equal(await read(key('meeting place')), completed);
    assert(completed >= 1);
  });

  contract('writes nothing for an owner whose claim was taken over', async (bench) => {
    const { acquire, store, key, clock } = bench;
    await acquire('overrun', { owner: 'late', leaseMs: 1_000 });
    await clock.advance(1_000);
    await acquire('overrun', { owner: 'next' });
    const before = await store.inspect(key('overrun'));
    assert.equal(await commit(bench, 'overrun', 'late', effect([key('a')])), 'lost');
    assert.deepEqual(await store.inspect(key('overrun')), before);
    assert.equal(await commit(bench, 'overrun', 'next', effect([key('a')])), 'stored');
    assert.equal(await commit(bench, 'overrun', 'late', effect([key('a')])), 'lost');
    assert.equal(await read(key('a')), 1);
  });

  contract('writes nothing where there is no claim, or one that is settled', async (bench) => {
    const { acquire, fail, key } = bench;
    assert.equal(await commit(bench, 'never', 'me', effect([key('a')])), 'lost');
    await acquire('failed', { owner: 'me' });
    await fail('failed', 'me');
    assert.equal(await commit(bench, 'failed', 'me', effect([key('a')])), 'lost');
    assert.equal(await read(key('a')), 0);
  });

  contract('needs no live lease as long as nobody took over', async (bench) => {
    const { acquire, key, clock } = bench;
    await acquire('slow', { owner: 'late', leaseMs: 1_000 });
    await clock.advance(60_000);
    assert.equal(await commit(bench, 'slow', 'late', effect([key('a')])), 'stored');
    assert.equal((await acquire('slow')).status, 'duplicate');
  });

  contract(
    'writes nothing when the effect is refused, says why, and leaves the claim as it was',
    async (bench) => {
      const { acquire, store, key } = bench;
      await acquire('refused', { owner: 'me' });
      const before = await store.inspect(key('refused'));
      const outcome = await commit(bench, 'refused', 'me', refusedEffect([key('a')]));
      assert(typeof outcome === 'object' && 'refused' in outcome, 'It was not refused');
      assert(outcome.refused instanceof Error, 'It was refused without an error');
      assert.deepEqual(await store.inspect(key('refused')), before);
      assert.equal(await read(key('a')), 0);
      assert.equal(await commit(bench, 'refused', 'me', effect([key('b')])), 'stored');
      assert.deepEqual([await read(key('a')), await read(key('b'))], [0, 1]);
    },
  );

  contract('leaves nothing to be settled, failed or prolonged', async (bench) => {
    const { acquire, complete, fail, store, key } = bench;
    await acquire('paid', { owner: 'me' });
    await commit(bench, 'paid', 'me', effect([key('a')]));
    const before = await store.inspect(key('paid'));
    assert.equal(await fail('paid', 'me'), 'lost');
    assert.equal(await complete('paid', 'me', { result: '"another"' }), 'stored'); // repeated
    const extension = { key: key('paid'), owner: 'me', leaseMs: 1_000, retentionMs: 1_000 };
    assert.deepEqual(await store.extend([extension]), ['lost']);
    assert.deepEqual(await store.inspect(key('paid')), before);
  });
}
