import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AcquireOutcome, ClaimStore, Settlement } from '../claims/claim-store.ts';
import { type CommitSubject, describeCommit } from './describe-commit.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { type Bench, bench, ERROR, LEASE_MS, RETENTION_MS } from './store-bench.ts';

/** `describe` and `it` of jest, vitest, mocha or node:test. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => void;
  readonly it: (name: string, body: () => Promise<void>) => void;
}

export interface ClaimStoreSubject {
  /** What the tests call the store. */
  readonly name: string;
  /** Makes a store on the given clock, over an empty table or one that nobody else writes the same keys to. */
  readonly create: (clock: ManualClock) => ClaimStore | Promise<ClaimStore>;
  /** Effects for stores with `commit`, whose cases run only with these. */
  readonly commit?: CommitSubject;
}

/**
 * The contract of `ClaimStore` as tests, for this package's stores and anybody's own. Every case makes keys
 * of its own, so one table serves all of them.
 *
 * @example
 * describeClaimStore({ name: 'myStore', create: (clock) => myStore({ clock }) });
 */
export function describeClaimStore(
  { name, create, commit }: ClaimStoreSubject,
  runner: TestRunner = globalThis as unknown as TestRunner,
): void {
  const { describe, it } = runner;

  /** A test with a store, a clock that stands still, and builders for keys nobody else has. */
  function contract(sentence: string, body: (bench: Bench) => Promise<void>): void {
    it(sentence, async () => {
      const clock = manualClock();
      await body(bench(await create(clock), clock));
    });
  }

  describe(`${name} keeps the contract of a claim store`, () => {
    describe('acquire', () => {
      contract('gives an absent key to the first who asks, as attempt 1', async ({ acquire, clock }) => {
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
        assert.deepEqual(outcomes.map(statusOf), ['conflict', 'acquired', 'duplicate']);
        assert.equal(withStatus(outcomes[2], 'duplicate').result, '{"total":3}');
      });

      contract('takes none and gives none', async ({ store }) => {
        assert.deepEqual(await store.acquire([]), []);
        assert.deepEqual(await store.settle([]), []);
        assert.deepEqual(await store.extend([]), []);
      });

      contract('takes more requests than fit into one request to a store', async ({ store, request }) => {
        const many = Array.from({ length: 120 }, (_, index) => request(`many-${index}`));
        assert.deepEqual(
          (await store.acquire(many)).filter(({ status }) => status !== 'acquired'),
          [],
        );
        const again = await store.acquire(many.map((one) => ({ ...one, owner: randomUUID() })));
        assert.deepEqual(
          again.filter(({ status }) => status !== 'conflict'),
          [],
        );
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
        assert.equal(outcomes.filter(({ status }) => status === 'acquired').length, 1);
        assert.equal(outcomes.filter(({ status }) => status === 'conflict').length, 19);
      });

      contract('gives a lapsed key to exactly one of 20 racing takeovers', async ({ acquire, clock }) => {
        await acquire('contended');
        await clock.advance(LEASE_MS);
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, index) => acquire('contended', { isRedelivery: index % 2 === 0 })),
        );
        assert.equal(outcomes.filter(({ status }) => status === 'acquired').length, 1);
        assert.equal(outcomes.filter(({ status }) => status === 'conflict').length, 19);
      });

      contract(
        'meets its own write when the answer was lost: acquired, same attempt',
        async ({ acquire }) => {
          const first = await acquire('resent', { owner: 'me' });
          const again = await acquire('resent', { owner: 'me' });
          assert.equal(first.status, 'acquired');
          assert.deepEqual(again, first);
        },
      );

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
        assert.deepEqual(new Set(outcomes.map(statusOf)), new Set(['acquired']));
      });
    });

    describe('settle', () => {
      contract('remembers a completion with its result for the retention, then forgets it', async (bench) => {
        const { acquire, complete, clock } = bench;
        await acquire('done', { owner: 'first' });
        assert.equal(await complete('done', 'first', { result: '[1,2]', retentionMs: 60_000 }), 'stored');
        const completedAt = clock.now();
        await clock.advance(59_000);
        const duplicate = withStatus(await acquire('done'), 'duplicate');
        assert.deepEqual([duplicate.result, duplicate.completedAt], ['[1,2]', completedAt]);
        // Not earlier, and at most the second later that a TTL is rounded up to.
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

      contract(
        'lets a failed key be claimed at once, as the next attempt, without a crash',
        async (bench) => {
          const { store, acquire, fail, key } = bench;
          await acquire('failed', { owner: 'first' });
          assert.equal(await fail('failed', 'first'), 'stored');
          assert.deepEqual((await store.inspect(key('failed')))?.error, ERROR);
          const next = withStatus(await acquire('failed'), 'acquired');
          assert.deepEqual([next.attempt, next.crashes, next.tookOver], [2, 0, false]);
          assert.equal((await store.inspect(key('failed')))?.error, undefined);
        },
      );

      contract('ends a row of crashes with a settled failure', async ({ acquire, fail, clock }) => {
        await acquire('shaky', { owner: 'first' });
        await clock.advance(LEASE_MS);
        await acquire('shaky', { owner: 'second' });
        await fail('shaky', 'second');
        assert.equal(withStatus(await acquire('shaky'), 'acquired').crashes, 0);
      });

      // Shorter and longer than the retention that the claim had until then.
      for (const retentionMs of [60_000, 90 * 24 * 3_600_000]) {
        contract(
          `does not run a parked key for the ${retentionMs} ms of its retention, then forgets it`,
          async (bench) => {
            const { store, acquire, key, clock } = bench;
            await acquire('poison', { owner: 'first' });
            const own = { key: key('poison'), owner: 'first' };
            const park: Settlement = { ...own, end: 'park', error: ERROR, retentionMs };
            assert.deepEqual(await store.settle([park]), ['stored']);
            assert.deepEqual(await store.settle([park]), ['stored']); // the answer was lost
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
    });

    describe('a late owner', () => {
      contract(
        'can neither complete, fail, park, release nor extend the claim of the next',
        async (bench) => {
          const { store, acquire, key, clock } = bench;
          await acquire('overrun', { owner: 'late' });
          await clock.advance(LEASE_MS);
          await acquire('overrun', { owner: 'next' });
          const before = await store.inspect(key('overrun'));
          assert.deepEqual(await everyWrite(bench, 'overrun', 'late'), [
            'lost',
            'lost',
            'lost',
            'lost',
            'lost',
          ]);
          assert.deepEqual(await store.inspect(key('overrun')), before);
        },
      );

      contract('cannot change a completion of the next either', async (bench) => {
        const { store, acquire, complete, key, clock } = bench;
        await acquire('overrun', { owner: 'late' });
        await clock.advance(LEASE_MS);
        await acquire('overrun', { owner: 'next' });
        await complete('overrun', 'next', { result: '"of the next"' });
        const before = await store.inspect(key('overrun'));
        assert.deepEqual(await everyWrite(bench, 'overrun', 'late'), [
          'lost',
          'lost',
          'lost',
          'lost',
          'lost',
        ]);
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
    });

    describe('extend', () => {
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
    });

    describe('extend again', () => {
      contract('never makes a lease shorter, whichever of two extensions arrives last', async (bench) => {
        const { store, acquire, key, clock } = bench;
        await acquire('long', { owner: 'me' });
        const extension = { key: key('long'), owner: 'me', leaseMs: LEASE_MS * 3, retentionMs: RETENTION_MS };
        assert.deepEqual(await store.extend([extension]), ['stored']);
        assert.deepEqual(await store.extend([{ ...extension, leaseMs: LEASE_MS }]), ['stored']);
        assert.equal((await store.inspect(key('long')))?.leaseUntil, clock.now() + LEASE_MS * 3);
      });
    });

    describe('start, where the store has it', () => {
      contract('tells a death from a claim that never started', async ({ store, acquire, key, clock }) => {
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
      });

      contract('begins anew with each attempt', async ({ store, acquire, fail, key, clock }) => {
        if (store.start === undefined) return;
        await acquire('twice', { owner: 'first', recordsStart: true });
        await store.start([{ key: key('twice'), owner: 'first' }]);
        await fail('twice', 'first');
        await acquire('twice', { owner: 'second', recordsStart: true });
        await clock.advance(LEASE_MS);
        const outcome = await acquire('twice');
        assert.deepEqual(outcome.status === 'acquired' && [outcome.releases, outcome.crashes], [1, 0]);
      });

      contract('is lost to who is no longer the owner, and may be said twice', async (bench) => {
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
    });

    if (commit !== undefined) {
      describe('commit', () => {
        describeCommit(commit, contract);
      });
    }

    describe('inspect', () => {
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

      contract(
        'shows a lapsed claim, and nothing where nothing is',
        async ({ store, acquire, key, clock }) => {
          await acquire('lapsed');
          await clock.advance(LEASE_MS * 2);
          assert.equal((await store.inspect(key('lapsed')))?.status, 'IN_PROGRESS');
          assert.equal(await store.inspect(key('nothing')), undefined);
        },
      );
    });
  });
}

async function everyWrite({ store, key }: Bench, name: string, owner: string): Promise<unknown[]> {
  const common = { key: key(name), owner, retentionMs: RETENTION_MS };
  const writes: Settlement[] = [
    { ...common, end: 'complete', result: '"late"' },
    { ...common, end: 'fail', error: ERROR },
    { ...common, end: 'park', error: ERROR },
    { ...common, end: 'release', releases: 0 },
  ];
  const outcomes: unknown[] = [];
  for (const write of writes) outcomes.push(...(await store.settle([write])));
  outcomes.push(...(await store.extend([{ ...common, leaseMs: LEASE_MS }])));
  return outcomes;
}

function statusOf({ status }: AcquireOutcome): string {
  return status;
}

function withStatus<Status extends AcquireOutcome['status']>(
  outcome: AcquireOutcome | undefined,
  status: Status,
): Extract<AcquireOutcome, { status: Status }> {
  assert.equal(outcome?.status, status);
  return outcome as Extract<AcquireOutcome, { status: Status }>;
}
