import type { StoreAndAdmin } from '../support/store-and-admin.ts';
import { describe, expect, it } from '@jest/globals';
import { cached, type Claim, createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import {
  type ClaimOperation,
  type ClaimsChange,
  forgetClaim,
  inspectClaim,
  operateOnClaims,
  type OperationKind,
  type OperateOutcome,
  parkClaim,
  releaseClaim,
  resolveClaim,
} from 'batchlatch/operations';
import { type ManualClock, manualClock, sqsEvent } from 'batchlatch/testing';
import { StoreError } from '../../src/base/errors.ts';
import { claimRequests, settlementOf } from '../support/claim-builders.ts';

const BY = { operator: 'pat@desk', reason: 'fixed in 1.4' };
const DAY_MS = 24 * 3_600_000;

async function parkedIn(store: StoreAndAdmin, count = 1): Promise<Claim[]> {
  const requests = claimRequests(count);
  await store.acquire(requests);
  await store.settle(requests.map((request) => settlementOf('park', request)));
  return Promise.all(requests.map(async ({ key }) => (await store.inspect(key)) as Claim));
}

async function oneParked(clock: ManualClock = manualClock()): Promise<{
  readonly clock: ManualClock;
  readonly store: StoreAndAdmin;
  readonly claim: Claim;
}> {
  const store = memoryStore({ clock });
  const [claim] = await parkedIn(store);
  return { clock, store, claim: claim as Claim };
}

describe('A person', () => {
  it.each([
    ['release', releaseClaim, 'FAILED', 4],
    ['resolve', resolveClaim, 'COMPLETED', 4],
    ['park', parkClaim, 'PARKED', 90],
  ] as const)('can %s a claim', async (operation, change, status, days) => {
    const { store, claim, clock } = await oneParked();
    await clock.advance(DAY_MS / 48);
    const outcome = await change(store, claim, { ...BY, retentionMs: 365 * DAY_MS });
    expect(outcome).toMatchObject({ status: 'done', claim: { status, key: claim.key } });
    const stored = (await store.inspect(claim.key)) as Claim;
    expect(stored).toMatchObject({
      status,
      expiresAt: clock.now() + 365 * DAY_MS,
      history: [{ operation, ...BY, at: clock.now(), from: { status: 'PARKED', owner: claim.owner } }],
    });
    const [other] = await parkedIn(store);
    await change(store, other as Claim, BY);
    expect((await store.inspect(other?.key ?? ''))?.expiresAt).toBe(clock.now() + days * DAY_MS);
  });

  it('can forget a claim, and resolve one with a result', async () => {
    const { store, claim } = await oneParked();
    expect(await forgetClaim(store, claim, BY)).toEqual({ status: 'done' });
    expect(await inspectClaim(store, claim.key)).toBeUndefined();
    const [other] = (await parkedIn(store)) as [Claim];
    await resolveClaim(store, other, { ...BY, result: '{"id":7}' });
    expect(await inspectClaim(store, other.key)).toMatchObject({ status: 'COMPLETED', result: '{"id":7}' });
  });

  it('learns what was found instead, where the claim has changed since', async () => {
    const { store, claim } = await oneParked();
    await releaseClaim(store, claim, BY);
    expect(await releaseClaim(store, claim, BY)).toMatchObject({
      status: 'refused',
      why: 'changed',
      found: { status: 'FAILED', history: [{ operator: 'pat@desk' }] },
    });
    expect(await parkClaim(store, { ...claim, key: 'never' }, BY)).toEqual({
      status: 'refused',
      why: 'absent',
    });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['no operator', { operator: undefined }, /^releaseClaim: Expected `operator` to be 1 to 128 characters/],
    ['an empty operator', { operator: ' ' }, /Expected `operator`/],
    ['a long operator', { operator: 'x'.repeat(129) }, /Expected `operator`/],
    ['no reason', { reason: undefined }, /Expected `reason` to be 1 to 256 characters/],
    ['a long reason', { reason: 'x'.repeat(257) }, /Expected `reason`/],
    ['control characters', { reason: 'fixed\u001b[2J' }, /Expected `reason`/],
    ['a line feed', { reason: 'fixed\nlevel=error' }, /Expected `reason`/],
    ['text that turns a line around', { reason: 'fixed \u202e4.1' }, /Expected `reason`/],
    ['half a character', { reason: 'fixed \ud83d' }, /Expected `reason`/],
    ['a result', { result: '1' }, /Expected `result` only with `resolve`, got it with `release`/],
    ['a short retention', { retentionMs: 1 }, /Expected `retentionMs` to be an integer from 1000 up/],
    ['an option that there is not', { forced: true }, /Unknown option `forced`/],
  ])('is refused with %s', async (_what, members, message) => {
    const { store, claim } = await oneParked();
    await expect(releaseClaim(store, claim, { ...BY, ...members })).rejects.toThrow(message);
    expect(await store.inspect(claim.key)).toEqual(claim);
  });

  it('is refused with a result that is no JSON, a claim that is none, and a key twice', async () => {
    const { store, claim } = await oneParked();
    await expect(resolveClaim(store, claim, { ...BY, result: '{' })).rejects.toThrow(
      /`result` to be JSON text/,
    );
    await expect(releaseClaim(store, { key: claim.key } as never, BY)).rejects.toThrow(/Expected a claim as/);
    const twice = operateOnClaims(store, [claim, claim], { operation: 'release', ...BY });
    await expect(twice).rejects.toThrow(/two claims with the same key/);
    const kind = 'delete' as OperationKind;
    await expect(operateOnClaims(store, [claim], { operation: kind, ...BY })).rejects.toThrow(/`operation`/);
  });
});

describe('Many claims', () => {
  const change: ClaimsChange = { operation: 'release', ...BY };

  it('are changed in requests of the size that the store takes', async () => {
    const memory = memoryStore();
    const sizes: number[] = [];
    const store: StoreAndAdmin = {
      ...memory,
      requestSize: 10,
      change: (operations, options) => (sizes.push(operations.length), memory.change(operations, options)),
    };
    const claims = await parkedIn(store, 23);
    const outcomes = await operateOnClaims(store, claims, change);
    expect(sizes).toEqual([10, 10, 3]);
    expect(outcomes.map((outcome) => outcome.status === 'done' && outcome.claim?.key)).toEqual(
      claims.map(({ key }) => key),
    );
    expect(await operateOnClaims(store, [], change)).toEqual([]);
  });

  /** Does what it is asked for, and loses the answers of the first call. */
  function forgetful(answer: (outcomes: OperateOutcome[]) => OperateOutcome[] | Promise<never>) {
    const memory = memoryStore();
    const sent: ClaimOperation[][] = [];
    const store: StoreAndAdmin = {
      ...memory,
      async change(operations) {
        sent.push([...operations]);
        const outcomes = await memory.change(operations);
        return sent.length === 1 ? answer(outcomes) : outcomes;
      },
    };
    return { store, sent };
  }
  const lost = new StoreError('no answer', { isRetryable: true });

  it.each(['release', 'resolve', 'park', 'forget'] as const)(
    'are changed once where an answer is lost: %s',
    async (operation) => {
      const { store, sent } = forgetful(() => Promise.reject(lost));
      const claims = await parkedIn(store, 3);
      const outcomes = await operateOnClaims(store, claims, { ...BY, operation });
      expect(outcomes.map(({ status }) => status)).toEqual(['done', 'done', 'done']);
      expect(sent[1]).toEqual(sent[0]);
      const [stored] = await Promise.all(claims.map(({ key }) => store.inspect(key)));
      expect(stored?.history ?? []).toHaveLength(operation === 'forget' ? 0 : 1);
    },
  );

  it('are sent again only where that can help', async () => {
    const final = new StoreError('no such table', { isRetryable: false });
    const { store, sent } = forgetful(([first, , third]) => [
      first as OperateOutcome,
      { status: 'error', error: final },
      { status: 'error', error: lost },
      ...(third === undefined ? [] : []),
    ]);
    const claims = await parkedIn(store, 3);
    const outcomes = await operateOnClaims(store, claims, change);
    expect(outcomes).toMatchObject([
      { status: 'done' },
      { status: 'error', error: final },
      { status: 'done' },
    ]);
    expect(sent[1]?.map(({ key }) => key)).toEqual([claims[2]?.key]);
  });

  it('are left alone once the signal is aborted', async () => {
    const memory = memoryStore();
    const controller = new AbortController();
    const store: StoreAndAdmin = {
      ...memory,
      requestSize: 1,
      async change(operations) {
        controller.abort();
        return memory.change(operations);
      },
    };
    const claims = await parkedIn(store, 3);
    const outcomes = await operateOnClaims(store, claims, { ...change, signal: controller.signal });
    expect(outcomes.slice(1)).toMatchObject([
      { status: 'error', error: { code: 'BATCHLATCH_STORE_SILENT' } },
      { status: 'error' },
    ]);
    expect((await store.inspect(claims[2]?.key ?? ''))?.status).toBe('PARKED');
  });
});

describe('A parked order', () => {
  it('runs again after a release, also by the process that remembers completions', async () => {
    const claims = memoryStore();
    const store = cached(claims, { max: 10 });
    let isBroken = true;
    let runs = 0;
    const handler = createBatchProcessor(
      () => {
        runs += 1;
        if (isBroken) throw new Error('the bank is away');
      },
      { store, maxAttempts: 1, observer: { onEvent: () => undefined }, namespace: 'orders' },
    );
    const event = sqsEvent([{ messageId: 'm', body: {} }]);
    const failed = { batchItemFailures: [{ itemIdentifier: 'm' }] };
    expect(await handler(event)).toEqual(failed);
    expect(await handler(event)).toEqual(failed);
    expect(runs).toBe(1);

    isBroken = false;
    const claim = (await inspectClaim(claims, 'orders#v1:m')) as Claim;
    expect(claim).toMatchObject({ status: 'PARKED', attempt: 1 });
    await releaseClaim(claims, claim, BY);
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
    expect(runs).toBe(2);
    expect(await inspectClaim(claims, claim.key)).toMatchObject({ status: 'COMPLETED', history: [BY] });

    // Once it is completed, this process remembers it as long as its row would live.
    const done = (await inspectClaim(claims, claim.key)) as Claim;
    await releaseClaim(claims, done, { ...BY, force: true });
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
    expect(runs).toBe(2);
  });
});
