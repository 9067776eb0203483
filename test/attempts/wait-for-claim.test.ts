import { describe, expect, it } from '@jest/globals';
import { type AcquireOutcome, type ClaimRequest, type ClaimStore, StoreError } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import { acquireOrWait, type WaitForClaimOptions } from '../../src/attempts/wait-for-claim.ts';
import { claimRequest, completion, LEASE_MS, settlementOf } from '../support/claim-builders.ts';

describe('acquireOrWait', () => {
  it('gives a free key at once', async () => {
    const { ask } = setUp();
    expect(await ask()).toMatchObject({ status: 'acquired', attempt: 1 });
  });

  it("waits for the other owner's end, and brings its result", async () => {
    const { store, held, ask, clock } = setUp();
    await store.acquire([held]);
    const asked = ask({ timeoutMs: 30_000 });
    await clock.advance(5_000);
    await store.settle([completion(held, '"done"')]);
    await clock.advance(1_000);
    expect(await asked).toMatchObject({ status: 'duplicate', result: '"done"' });
  });

  it('takes the key when the other owner has failed', async () => {
    const { store, held, ask, clock } = setUp();
    await store.acquire([held]);
    const asked = ask({ timeoutMs: 30_000 });
    await clock.advance(5_000);
    await store.settle([settlementOf('fail', held)]);
    await clock.advance(1_000);
    expect(await asked).toMatchObject({ status: 'acquired', attempt: 2, tookOver: false });
  });

  it('takes over when the lease lapses, within a second', async () => {
    const { store, held, ask, clock } = setUp();
    await store.acquire([held]);
    const asked = ask({ timeoutMs: LEASE_MS * 2 });
    await clock.advance(LEASE_MS + 1_000);
    expect(await asked).toMatchObject({ status: 'acquired', attempt: 2, tookOver: true });
  });

  it('gives the conflict when the time is over, with a last poll at its end', async () => {
    const { store, held, ask, clock } = setUp();
    await store.acquire([held]);
    const startedAt = clock.now();
    const asked = ask({ timeoutMs: 3_000 }).then((outcome) => ({ outcome, tookMs: clock.now() - startedAt }));
    await clock.advance(60_000 - 1);
    expect(await asked).toMatchObject({ outcome: { status: 'conflict' }, tookMs: 3_000 });
  });

  it('does not ask again at once for what it is told', async () => {
    const { store, held, ask, requests, clock } = setUp();
    await store.acquire([held]);
    const known: AcquireOutcome = { status: 'conflict', leaseUntil: clock.now() + LEASE_MS, attempt: 1 };
    const before = requests.length;
    expect(await ask({ timeoutMs: 0, known })).toBe(known);
    expect(requests).toHaveLength(before);
  });

  it('asks once when it may not wait', async () => {
    const { store, held, ask, requests } = setUp();
    await store.acquire([held]);
    expect(await ask({ timeoutMs: 0 })).toMatchObject({ status: 'conflict' });
    expect(requests).toHaveLength(2);
  });

  it('ends at once when its signal is aborted, with the conflict', async () => {
    const { store, held, ask, clock, requests } = setUp();
    await store.acquire([held]);
    const abort = new AbortController();
    const asked = ask({ timeoutMs: 30_000, signal: abort.signal });
    await clock.advance(1_000);
    const polls = requests.length;
    abort.abort();
    expect(await asked).toMatchObject({ status: 'conflict' });
    expect(requests).toHaveLength(polls);
  });

  it.each([
    ['almost none', () => 0],
    ['almost all', () => 0.999],
  ])('polls with reads, backing off, with a jitter of %s', async (_what, random) => {
    const { store, held, ask, clock, requests } = setUp();
    await store.acquire([held]);
    const asked = ask({ timeoutMs: 10_000, random });
    await clock.advance(10_000);
    await asked;
    const [, first, ...polls] = requests;
    expect(first?.isRedelivery).toBeUndefined();
    expect(polls.every(({ isRedelivery }) => isRedelivery === true)).toBe(true);
    expect(polls.length).toBeGreaterThan(8); // never more than a second apart
    expect(polls.length).toBeLessThanOrEqual(1_000); // never less than 10 ms apart
  });

  it('makes a request anew for every poll, so that the lease can follow the time that is left', async () => {
    const { store, held, ask, clock, requests } = setUp();
    await store.acquire([held]);
    const endsAt = clock.now() + 20_000;
    const asked = ask({ timeoutMs: 2_000 }, () => ({ ...held, owner: 'me', leaseMs: endsAt - clock.now() }));
    await clock.advance(2_000);
    await asked;
    expect(requests.at(-1)?.leaseMs).toBe(18_000);
  });

  describe('when the store fails', () => {
    it('gives the error of the first call at once', async () => {
      const error = new StoreError('down', { isRetryable: true });
      const { ask } = setUp(() => ({ status: 'error', error }));
      expect(await ask({ timeoutMs: 30_000 })).toEqual({ status: 'error', error });
    });

    it('goes on waiting after a retryable error, and meets its own claim whose answer was lost', async () => {
      const { store, held, ask, clock, loseNextAnswer, noted } = setUp();
      await store.acquire([held]);
      const asked = ask({ timeoutMs: 30_000 });
      await clock.advance(500);
      await store.settle([settlementOf('fail', held)]);
      loseNextAnswer();
      await clock.advance(2_500);
      expect(await asked).toMatchObject({ status: 'acquired', attempt: 2 });
      expect(noted).toEqual([]);
    });

    it('notes the claim that a lost poll may still get, if another has the key to the end', async () => {
      let polls = 0;
      const { store, held, ask, clock, noted } = setUp((outcome) => {
        polls += 1;
        return polls === 4 ? { status: 'error', error: new StoreError('?', { isRetryable: true }) } : outcome;
      });
      await store.acquire([held]);
      const asked = ask({ timeoutMs: 3_000 });
      await clock.advance(3_000);
      expect(await asked).toMatchObject({ status: 'conflict' });
      expect(polls).toBeGreaterThan(5);
      expect(noted).toEqual([expect.objectContaining({ key: held.key, isRedelivery: true })]);
    });

    it('does not wait for what no waiting can mend', async () => {
      const error = new StoreError('no permission', { isRetryable: false });
      let calls = 0;
      const { ask, clock, store, held } = setUp((outcome) => {
        calls += 1;
        return calls > 2 ? { status: 'error', error } : outcome;
      });
      await store.acquire([held]);
      const asked = ask({ timeoutMs: 30_000 });
      await clock.advance(1_000);
      expect(await asked).toEqual({ status: 'error', error });
    });

    it('never rejects', async () => {
      const { held, options } = setUp();
      const broken = { acquire: () => Promise.reject(new Error('gone')) } as unknown as ClaimStore;
      expect(await acquireOrWait(broken, () => held, options)).toMatchObject({ status: 'error' });
    });
  });
});

function setUp(answer: (outcome: AcquireOutcome) => AcquireOutcome = (outcome) => outcome) {
  const clock: ManualClock = manualClock();
  const memory = memoryStore({ clock });
  const requests: ClaimRequest[] = [];
  let loses = false;
  const store: ClaimStore = {
    ...memory,
    async acquire(given) {
      requests.push(...given);
      const outcomes = await memory.acquire(given);
      if (!loses) return outcomes.map(answer);
      loses = false;
      throw new StoreError('connection reset', { isRetryable: true });
    },
  };
  const held = claimRequest('orders#v1:1');
  const noted: object[] = [];
  const onLost = (request: object): void => void noted.push(request);
  const options: WaitForClaimOptions = { timeoutMs: 0, clock, random: () => 0.5, onLost };
  const mine = claimRequest('orders#v1:1');
  return {
    clock,
    store,
    held,
    requests,
    noted,
    options,
    loseNextAnswer: () => {
      loses = true;
    },
    ask: (members?: Partial<WaitForClaimOptions>, makeRequest: () => ClaimRequest = () => mine) =>
      acquireOrWait(store, makeRequest, { ...options, ...members }),
  };
}
