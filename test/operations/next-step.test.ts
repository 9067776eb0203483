import { describe, expect, it } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import {
  type Claim,
  claimJson,
  inspectClaim,
  nextStepOf,
  parkClaim,
  type RedeliverySettings,
  releaseClaim,
  releasedAt,
} from 'batchlatch/operations';
import { manualClock } from 'batchlatch/testing';
import { claimRequest, settlementOf } from '../support/claim-builders.ts';

const NOW = Date.UTC(2026, 0, 10, 12);
const MINUTE = 60_000;
const QUEUE: RedeliverySettings = { visibilityTimeoutSeconds: 180, maxReceiveCount: 5 };
const DECLINED = { name: 'Declined', message: 'the card was declined' };

/** A claim that was claimed a minute ago. */
function claimOf(members: Partial<Claim>): Claim {
  return {
    key: 'orders#v1:o-1',
    status: 'FAILED',
    owner: 'o',
    attempt: 1,
    releases: 0,
    crashes: 0,
    leaseUntil: NOW - 1,
    expiresAt: NOW + 96 * 60 * MINUTE,
    createdAt: NOW - MINUTE,
    updatedAt: NOW - 30_000,
    ...members,
  };
}

describe('nextStepOf', () => {
  it.each<[string, Partial<Claim>, RedeliverySettings | undefined, object]>([
    [
      'names the end of a live lease',
      { status: 'IN_PROGRESS', leaseUntil: NOW + MINUTE },
      QUEUE,
      { kind: 'running', text: 'A handler may be running; its lease ends', at: NOW + MINUTE },
    ],
    [
      'estimates the delivery after a failure by the visibility timeout',
      { error: DECLINED },
      QUEUE,
      {
        kind: 'delivery',
        text: 'Runs again when SQS delivers the message,',
        at: NOW + 2 * MINUTE,
        isEstimate: true,
      },
    ],
    [
      'estimates the delivery of an overdue claim from its latest attempt',
      { status: 'IN_PROGRESS', attempt: 2, createdAt: NOW - 60 * MINUTE, claimedAt: NOW - MINUTE },
      QUEUE,
      {
        kind: 'delivery',
        text: 'Runs again when SQS delivers the message,',
        at: NOW + 2 * MINUTE,
        isEstimate: true,
      },
    ],
    [
      'says that a delivery was due',
      { createdAt: NOW - 5 * MINUTE },
      QUEUE,
      {
        kind: 'delivery',
        text: 'Runs again when SQS delivers the message, which was due',
        at: NOW - 2 * MINUTE,
        isEstimate: true,
      },
    ],
    [
      'gives a delivery no time where the queue is not known',
      {},
      undefined,
      { kind: 'delivery', text: 'Runs again at its next delivery' },
    ],
    [
      'gives a delivery no time where the row does not say when it was claimed',
      { createdAt: 0 },
      QUEUE,
      { kind: 'delivery', text: 'Runs again at its next delivery' },
    ],
    [
      'says that SQS will move the message of the last allowed receive',
      { attempt: 5, claimedAt: NOW - MINUTE },
      QUEUE,
      {
        kind: 'dead-letter-queue',
        text: 'Does not run again by itself: SQS moves its message to the dead-letter queue,',
        at: NOW + 2 * MINUTE,
        isEstimate: true,
      },
    ],
    [
      'says that SQS has moved the message, and to redrive it',
      { attempt: 5, claimedAt: NOW - 4 * MINUTE },
      QUEUE,
      {
        kind: 'dead-letter-queue',
        text: 'Redrive its message: SQS has probably moved it to the dead-letter queue,',
        at: NOW - MINUTE,
        isEstimate: true,
      },
    ],
    [
      'expects every delivery of a queue without a redrive policy',
      { attempt: 500, claimedAt: NOW - MINUTE },
      { visibilityTimeoutSeconds: 180 },
      {
        kind: 'delivery',
        text: 'Runs again when SQS delivers the message,',
        at: NOW + 2 * MINUTE,
        isEstimate: true,
      },
    ],
    [
      'asks for a person after a failure for good',
      { status: 'PARKED', attempt: 6, releases: 1, error: DECLINED },
      QUEUE,
      { kind: 'person', text: 'Waits for you: failed for good after 5 attempts,', at: NOW - 30_000 },
    ],
    [
      'asks for a person where the outcome is unknown',
      { status: 'PARKED', error: { ...DECLINED, code: 'BATCHLATCH_LAPSED_LEASE' } },
      QUEUE,
      { kind: 'person', text: 'Waits for you: outcome unknown, parked', at: NOW - 30_000 },
    ],
    [
      'asks for a person after too many attempts',
      { status: 'PARKED', attempt: 3, error: { ...DECLINED, code: 'BATCHLATCH_TOO_MANY_CRASHES' } },
      QUEUE,
      {
        kind: 'person',
        text: 'Waits for you: crashed or tried too often, after 3 attempts,',
        at: NOW - 30_000,
      },
    ],
    [
      'asks for a person where the result was not kept',
      { status: 'PARKED', error: { ...DECLINED, code: 'BATCHLATCH_RESPONSE_NOT_KEPT' } },
      QUEUE,
      {
        kind: 'person',
        text: 'Waits for you: the work is done, and its result was not kept; parked',
        at: NOW - 30_000,
      },
    ],
    [
      'says when a completed claim is forgotten',
      { status: 'COMPLETED' },
      QUEUE,
      { kind: 'nothing', text: 'Nothing: completed, forgotten', at: NOW + 96 * 60 * MINUTE },
    ],
  ])('%s', (_what, members, queue, expected) => {
    expect(nextStepOf(claimOf(members), NOW, queue)).toEqual(expected);
  });

  it('says that a completed claim without an expiry is kept', () => {
    const { expiresAt: _expiresAt, ...kept } = claimOf({ status: 'COMPLETED' });
    expect(nextStepOf(kept, NOW)).toEqual({
      kind: 'nothing',
      text: 'Nothing: completed, and kept until a person forgets it',
    });
  });
});

describe('A claim that a person changed', () => {
  const BY = { operator: 'pat@laptop', reason: 'fixed in 1.4' };

  async function parked(attempts = 1): Promise<Shop> {
    const clock = manualClock(NOW);
    const store = memoryStore({ clock });
    const shop: Shop = {
      clock,
      store,
      claim: async () => (await inspectClaim(store, 'k')) as Claim,
      async attempt(end) {
        const request = claimRequest('k');
        await store.acquire([request]);
        await store.settle([settlementOf(end, request)]);
        await clock.advance(1_000);
      },
    };
    for (let index = 1; index < attempts; index += 1) await shop.attempt('fail');
    await shop.attempt('park');
    return shop;
  }

  interface Shop {
    readonly clock: ReturnType<typeof manualClock>;
    readonly store: ReturnType<typeof memoryStore>;
    claim(): Promise<Claim>;
    attempt(end: 'fail' | 'park'): Promise<void>;
  }

  it('is released until its next attempt, and waits for its message', async () => {
    const { store, clock, claim, attempt } = await parked();
    expect(releasedAt(await claim())).toBeUndefined();
    await releaseClaim(store, await claim(), BY);
    const at = clock.now();
    await clock.advance(MINUTE);
    const released = await claim();
    expect(releasedAt(released)).toBe(at);
    expect(claimJson(released, clock.now())).toMatchObject({
      state: 'failed',
      releasedAt: new Date(at).toISOString(),
    });
    expect(nextStepOf(released, clock.now(), QUEUE)).toEqual({
      kind: 'message',
      text: 'Waits for its message, in its queue or in the dead-letter queue: released',
      at,
    });
    await attempt('fail');
    expect(releasedAt(await claim())).toBeUndefined();
    expect(nextStepOf(await claim(), clock.now(), QUEUE)).toMatchObject({ kind: 'delivery' });
    expect(claimJson(await claim(), clock.now())).not.toHaveProperty('releasedAt', expect.anything());
  });

  it('counts the receives of its message from its release on', async () => {
    const { store, clock, claim, attempt } = await parked(5);
    await releaseClaim(store, await claim(), BY);
    for (let index = 1; index < 5; index += 1) await attempt('fail');
    expect(nextStepOf(await claim(), clock.now(), QUEUE)).toMatchObject({ kind: 'delivery' });
    await attempt('fail');
    expect(nextStepOf(await claim(), clock.now(), QUEUE)).toMatchObject({ kind: 'dead-letter-queue' });
  });

  it('names who parked it, beside what is known of its work', async () => {
    const { store, clock, claim } = await parked(2);
    await parkClaim(store, await claim(), BY);
    expect(nextStepOf(await claim(), clock.now())).toEqual({
      kind: 'person',
      text: 'Waits for you: failed for good after 2 attempts, parked by pat@laptop',
      at: clock.now(),
    });
  });
});
