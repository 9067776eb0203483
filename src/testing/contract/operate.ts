import assert from 'node:assert/strict';
import type { OperateOutcome } from '../../claims/claim-admin.ts';
import type { Claim } from '../../claims/claim.ts';
import {
  type Contract,
  ERROR,
  everyWrite,
  KINDS,
  LEASE_MS,
  ofAdmin,
  parked,
  RETENTION_MS,
  statusesOf,
  withStatus,
} from '../store-bench.ts';

const DAY_MS = 24 * 3_600_000;

export function describeOperate(base: Contract): void {
  const contract = ofAdmin(base);

  contract('releases a parked key: it runs again at once, its attempts counted from 0', async (bench) => {
    const { acquire, operate, stored } = bench;
    await parked(bench, 'poison');
    const before = await stored('poison');
    assert.deepEqual(withoutClaim(await operate('release', 'poison')), { status: 'done' });
    const released = await stored('poison');
    assert.deepEqual([released.status, released.attempt, released.error], ['FAILED', 1, undefined]);
    assert.notEqual(released.owner, before.owner);
    const next = withStatus(await acquire('poison'), 'acquired');
    assert.deepEqual([next.attempt, next.releases, next.crashes, next.tookOver], [2, 1, 0, false]);
  });

  contract('answers with the claim as it is now', async (bench) => {
    const { operate, stored } = bench;
    for (const kind of ['release', 'resolve', 'park'] as const) {
      await parked(bench, kind);
      const outcome = await operate(kind, kind);
      assert(outcome?.status === 'done', 'It was not done');
      assert.deepEqual(outcome.claim && withoutExpiry(outcome.claim), withoutExpiry(await stored(kind)));
    }
  });

  contract('resolves a key: its duplicates get the result', async (bench) => {
    const { acquire, operate, stored, clock } = bench;
    await parked(bench, 'paid');
    await operate('resolve', 'paid', { result: '{"by":"hand"}' });
    const duplicate = withStatus(await acquire('paid'), 'duplicate');
    assert.deepEqual([duplicate.result, duplicate.completedAt], ['{"by":"hand"}', clock.now()]);
    assert.equal((await stored('paid')).error, undefined);
    await parked(bench, 'done');
    await operate('resolve', 'done');
    const other = await acquire('done');
    assert.deepEqual([other.status, 'result' in other], ['duplicate', false]);
  });

  contract('parks a key: it does not run until it is released', async (bench) => {
    const { acquire, fail, operate } = bench;
    await acquire('odd', { owner: 'first' });
    await fail('odd', 'first');
    await operate('park', 'odd', { reason: 'wait for the bank' });
    assert.deepEqual(await acquire('odd'), {
      status: 'parked',
      error: { name: 'ParkedByOperator', message: 'wait for the bank' },
    });
    await operate('release', 'odd');
    assert.equal((await acquire('odd')).status, 'acquired');
  });

  contract('forgets a key: it is claimed as if for the first time', async (bench) => {
    const { acquire, operate, store, key } = bench;
    await parked(bench, 'gone');
    assert.deepEqual(await operate('forget', 'gone'), { status: 'done' });
    assert.equal(await store.inspect(key('gone')), undefined);
    const first = withStatus(await acquire('gone'), 'acquired');
    assert.deepEqual([first.attempt, first.tookOver], [1, false]);
    const claim = await store.inspect(key('gone'));
    assert.deepEqual([claim?.history, claim?.error], [undefined, undefined]);
  });

  for (const kind of KINDS) {
    contract(`lets a late owner write nothing after a ${kind}`, async (bench) => {
      const { acquire, operate, store, key, clock } = bench;
      await acquire('hung', { owner: 'late' });
      await clock.advance(LEASE_MS);
      assert.equal((await operate(kind, 'hung'))?.status, 'done');
      const before = await store.inspect(key('hung'));
      assert.deepEqual(await everyWrite(bench, 'hung', 'late'), Array(5).fill('lost'));
      assert.deepEqual(await store.inspect(key('hung')), before);
    });

    contract(`refuses to ${kind} a claim whose lease is live, unless it is forced`, async (bench) => {
      const { acquire, complete, operate, stored, clock } = bench;
      await acquire('busy', { owner: 'me' });
      await clock.advance(LEASE_MS - 1);
      const outcome = await operate(kind, 'busy');
      assert(outcome?.status === 'refused', 'It was not refused');
      assert.deepEqual([outcome.why, outcome.found?.owner], ['running', 'me']);
      assert.equal((await stored('busy')).status, 'IN_PROGRESS');
      assert.equal((await operate(kind, 'busy', { force: true }))?.status, 'done');
      assert.equal(await complete('busy', 'me'), 'lost');
    });

    contract(`refuses to ${kind} a claim that is no longer as it was seen`, async (bench) => {
      const { acquire, change, stored, admin, clock } = bench;
      await acquire('moving', { owner: 'first' });
      await clock.advance(LEASE_MS);
      const seen = await stored('moving');
      await acquire('moving', { owner: 'second' });
      await clock.advance(LEASE_MS);
      const before = await stored('moving');
      for (const claim of [
        seen,
        { ...before, owner: 'first' },
        { ...before, attempt: 1 },
        { ...before, status: 'PARKED' as const },
      ]) {
        const [outcome] = await admin.change([change(kind, claim, { force: true })]);
        assert(outcome?.status === 'refused', 'It was not refused');
        assert.deepEqual([outcome.why, outcome.found], ['changed', before]);
      }
      assert.deepEqual(await stored('moving'), before);
    });

    contract(`refuses to ${kind} what is not there, or is past its retention`, async (bench) => {
      const { change, stored, admin, clock } = bench;
      await parked(bench, 'old');
      const seen = await stored('old');
      await clock.advance(RETENTION_MS + 1_000);
      for (const key of [seen.key, bench.key('never')]) {
        assert.deepEqual(await admin.change([change(kind, { ...seen, key })]), [
          { status: 'refused', why: 'absent' },
        ]);
      }
    });
  }

  for (const kind of ['release', 'park'] as const) {
    contract(`refuses to ${kind} what is completed, unless it is forced`, async (bench) => {
      const { acquire, complete, operate } = bench;
      await acquire('done', { owner: 'me' });
      await complete('done', 'me', { result: '1' });
      const outcome = await operate(kind, 'done');
      assert(outcome?.status === 'refused', 'It was not refused');
      assert.deepEqual([outcome.why, outcome.found?.result], ['completed', '1']);
      assert.equal((await acquire('done')).status, 'duplicate');
      await operate(kind, 'done', { force: true });
      assert.equal((await acquire('done')).status, kind === 'release' ? 'acquired' : 'parked');
    });
  }

  contract('forgets what is completed, without force', async (bench) => {
    const { acquire, complete, operate } = bench;
    await acquire('done', { owner: 'me' });
    await complete('done', 'me');
    assert.deepEqual(await operate('forget', 'done'), { status: 'done' });
    assert.equal((await acquire('done')).status, 'acquired');
  });

  contract('leaves who did it, why, and how the claim stood before', async (bench) => {
    const { operate, stored, clock } = bench;
    await parked(bench, 'poison');
    const { owner } = await stored('poison');
    await operate('release', 'poison', { operator: 'sam@night', reason: 'the bank is back' });
    assert.deepEqual((await stored('poison')).history, [
      {
        at: clock.now(),
        operation: 'release',
        operator: 'sam@night',
        reason: 'the bank is back',
        from: { status: 'PARKED', owner, attempt: 1, error: ERROR },
      },
    ]);
  });

  contract('remembers the last ten changes, over all attempts that follow', async (bench) => {
    const { acquire, complete, operate, stored, clock } = bench;
    await parked(bench, 'often');
    for (let time = 1; time <= 12; time += 1) {
      await operate(time % 2 === 0 ? 'park' : 'release', 'often', { reason: `change ${time}` });
    }
    await operate('release', 'often', { reason: 'change 13' });
    const { history } = await stored('often');
    assert.deepEqual(
      history?.map(({ reason }) => reason),
      [4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((time) => `change ${time}`),
    );
    await acquire('often', { owner: 'second' });
    await clock.advance(LEASE_MS);
    await acquire('often', { owner: 'third' });
    assert.deepEqual((await stored('often')).history, history);
    await complete('often', 'third');
    assert.deepEqual((await stored('often')).history, history);
  });

  contract('never makes a claim be forgotten sooner, and later where that is asked for', async (bench) => {
    const { operate, stored, clock } = bench;
    await parked(bench, 'kept', 90 * DAY_MS);
    const before = await stored('kept');
    await operate('release', 'kept', { retentionMs: DAY_MS });
    assert.equal((await stored('kept')).expiresAt, before.expiresAt);
    await operate('park', 'kept', { retentionMs: 100 * DAY_MS });
    assert.equal((await stored('kept')).expiresAt, clock.now() + 100 * DAY_MS);
  });

  contract('is done once when its answer was lost and it is sent again', async (bench) => {
    const { change, admin, store, stored, key } = bench;
    for (const kind of ['release', 'resolve', 'park'] as const) {
      await parked(bench, kind);
      const operation = change(kind, await stored(kind));
      for (let time = 1; time <= 3; time += 1) {
        const [outcome] = await admin.change([operation]);
        assert.equal(outcome?.status, 'done');
        assert.equal(outcome.claim?.history?.length, 1);
      }
    }
    await parked(bench, 'forget');
    const operation = change('forget', await stored('forget'));
    await admin.change([operation]);
    await admin.change([operation]);
    assert.equal(await store.inspect(key('forget')), undefined);
  });

  contract('changes many at once, each by itself', async ({ admin, store, request, change, key }) => {
    const names = Array.from({ length: 30 }, (_, index) => `many-${index}`);
    await store.acquire(names.map((name) => request(name, { owner: name })));
    const own = { end: 'park', error: ERROR, retentionMs: RETENTION_MS } as const;
    await store.settle(names.map((name) => ({ ...own, key: key(name), owner: name })));
    const claims = await Promise.all(names.map((name) => store.inspect(key(name))));
    const outcomes = await admin.change(
      claims.map((claim, index) => {
        assert(claim !== undefined, 'There is no claim');
        return change('release', index % 3 === 0 ? { ...claim, owner: 'a stranger' } : claim);
      }),
    );
    const expected = names.map((_, index) => (index % 3 === 0 ? 'refused' : 'done'));
    assert.deepEqual(statusesOf(outcomes), expected);
    assert.deepEqual(await admin.change([]), []);
  });
}

function withoutClaim(outcome: OperateOutcome | undefined): unknown {
  return outcome?.status === 'done' ? { status: outcome.status } : outcome;
}

/** Removes the expiry and the lease, which stores may round or drop. */
function withoutExpiry({ expiresAt: _expiresAt, leaseUntil: _leaseUntil, ...claim }: Claim): Partial<Claim> {
  return claim;
}
