import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AdoptOutcome } from '../../claims/adoption.ts';
import type { Claim } from '../../claims/claim.ts';
import { type AdminBench, type Contract, ERROR, LEASE_MS, ofAdmin, RETENTION_MS } from '../store-bench.ts';

export function describeAdopt(base: Contract): void {
  const operable = ofAdmin(base);
  const contract = (sentence: string, body: (bench: AdoptBench) => Promise<void>): void =>
    operable(sentence, async (bench) => {
      const { admin, clock, key } = bench;
      const { adopt } = admin;
      if (adopt === undefined) return;
      const now = clock.now();
      const claim: AdoptBench['claim'] = (name, members) => ({
        key: key(name),
        status: 'FAILED',
        owner: 'elsewhere',
        attempt: 1,
        releases: 0,
        crashes: 0,
        leaseUntil: now - 1_000,
        createdAt: now - LEASE_MS,
        updatedAt: now - 1_000,
        // Stores may round up to the whole seconds of their TTL.
        expiresAt: Math.ceil((now + RETENTION_MS) / 1_000) * 1_000,
        ...members,
      });
      const one = async (given: Claim): Promise<AdoptOutcome | undefined> =>
        (await adopt.call(admin, [given]))[0];
      await body({ ...bench, claim, adopt: one, adoptAll: (claims) => adopt.call(admin, claims) });
    });

  contract('writes a claim with all that it has', async ({ claim, adopt, stored, clock }) => {
    const now = clock.now();
    const from = { status: 'FAILED', owner: 'before', attempt: 2, error: ERROR } as const;
    const change = { at: now - 9_000, operation: 'release', operator: 'pat', reason: 'fixed', from } as const;
    const common = { attempt: 4, releases: 1, crashes: 2, lockedBy: 'f 1 r', recordId: 'm-1' };
    const claims = [
      claim('completed', {
        ...common,
        status: 'COMPLETED',
        completedAt: now - 500,
        result: '{"n":"é"}',
        payloadHash: 'hash',
        claimedAt: now - 5_000,
        history: [change],
      }),
      claim('failed', { ...common, error: ERROR }),
      claim('parked', { status: 'PARKED', error: ERROR }),
      claim('running', { status: 'IN_PROGRESS', leaseUntil: now + LEASE_MS, started: false }),
    ];
    for (const one of claims) {
      assert.equal(await adopt(one), 'stored');
      const name = one.key.split(':').at(-1) ?? '';
      const found = await stored(name);
      // Once a claim has ended, its lease is irrelevant, and a format may drop it.
      const leaseUntil = one.status === 'IN_PROGRESS' ? found.leaseUntil : one.leaseUntil;
      assert.deepEqual({ ...found, leaseUntil }, one);
    }
  });

  contract('goes by it as by its own', async ({ claim, adopt, acquire, clock }) => {
    const leaseUntil = clock.now() + LEASE_MS;
    await adopt(claim('running', { status: 'IN_PROGRESS', leaseUntil, attempt: 3 }));
    assert.deepEqual(await acquire('running', { owner: 'me' }), {
      status: 'conflict',
      attempt: 3,
      leaseUntil,
    });
    await clock.advance(LEASE_MS);
    const taken = await acquire('running', { owner: 'me' });
    assert.equal(taken.status === 'acquired' && taken.attempt, 4);
    await adopt(claim('parked', { status: 'PARKED', error: ERROR }));
    assert.equal((await acquire('parked', { owner: 'me' })).status, 'parked');
  });

  contract('writes nothing where the key has a row', async (bench) => {
    const { claim, adopt, acquire, complete, stored } = bench;
    await acquire('mine', { owner: 'me' });
    assert.equal(await adopt(claim('mine', { attempt: 7 })), 'present');
    assert.equal(await complete('mine', 'me', {}), 'stored');
    assert.equal(await adopt(claim('mine', { attempt: 7 })), 'present');
    assert.equal((await stored('mine')).owner, 'me');
  });

  contract('brings what has changed where it wrote the row itself', async (bench) => {
    const { claim, adopt, stored, clock } = bench;
    const first = claim('again', { status: 'IN_PROGRESS', leaseUntil: clock.now() + LEASE_MS });
    assert.equal(await adopt(first), 'stored');
    assert.equal(await adopt(first), 'present');
    const ended = {
      ...first,
      status: 'COMPLETED',
      updatedAt: clock.now(),
      completedAt: clock.now(),
    } as const;
    assert.equal(await adopt(ended), 'stored');
    assert.equal((await stored('again')).completedAt, ended.completedAt);
    assert.equal(await adopt(first), 'present');
    assert.equal((await stored('again')).status, 'COMPLETED');
  });

  contract('leaves a claim to who has taken it over since', async (bench) => {
    const { claim, adopt, acquire, clock, stored } = bench;
    const first = claim('taken', {});
    assert.equal(await adopt(first), 'stored');
    assert.equal((await acquire('taken', { owner: 'me' })).status, 'acquired');
    const later = { ...first, attempt: 3, owner: 'third', updatedAt: clock.now() + 1 };
    assert.equal(await adopt(later), 'present');
    assert.equal((await stored('taken')).owner, 'me');
  });

  contract(
    'writes over a row that is past its retention',
    async ({ claim, adopt, acquire, clock, stored }) => {
      await acquire('old', { owner: 'me', leaseMs: 1_000, retentionMs: 1_000 });
      await clock.advance(4_000);
      const given = claim('old', {});
      assert.equal(await adopt(given), 'stored');
      assert.equal((await stored('old')).owner, 'elsewhere');
    },
  );

  contract('lets one of an attempt and a copy have a key that is free', async (bench) => {
    const { claim, adopt, acquire, key, stored, adoptAll } = bench;
    const names = Array.from({ length: 10 }, (_, index) => `raced-${index}`);
    await Promise.all(
      names.map(async (name) => {
        const [outcome, acquired] = await Promise.all([
          adopt(claim(name, { status: 'COMPLETED', completedAt: 1_000 })),
          acquire(name, { owner: randomUUID() }),
        ]);
        assert.equal(outcome === 'stored', acquired.status === 'duplicate', name);
      }),
    );
    const outcomes = await adoptAll(names.map((name) => claim(name, {})));
    assert.deepEqual(new Set(outcomes), new Set(['present']));
    assert.equal((await stored('raced-0')).key, key('raced-0'));
  });
}

interface AdoptBench extends AdminBench {
  claim(name: string, members: Partial<Claim>): Claim;
  adopt(claim: Claim): Promise<AdoptOutcome | undefined>;
  adoptAll(claims: readonly Claim[]): Promise<AdoptOutcome[]>;
}
