import { describe, expect, it } from '@jest/globals';
import type { ClaimStore } from 'batchlatch';
import { withIdempotency } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { engineStore } from '../../src/claims/engine-store.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type Bench, bench, failed, messages } from '../batch/bench.ts';

type Answer = (outcomes: readonly unknown[]) => unknown;

/** Answers of a store that does not keep the contract, such as one that forgets to return its outcomes. */
const ODD: Readonly<Record<string, Answer>> = {
  nothing: () => undefined,
  'no list': () => ({}),
  'a text': () => 'stored',
  'no outcomes': (outcomes) => outcomes.map(() => undefined),
  'unknown outcomes': (outcomes) => outcomes.map(() => ({ status: 'done' })),
  'errors without an error': (outcomes) => outcomes.map(() => ({ status: 'error' })),
  'a rejection without text': () => Promise.reject(Object.create(null)),
};

/** A store that answers calls of one method in another way. */
function oddStore(store: ClaimStore, method: 'acquire' | 'settle', odd: Answer): ClaimStore {
  return {
    ...store,
    [method]: async (...call: [never]) => odd(await store[method](...call)) as never,
  };
}

function benchWith(method: 'acquire' | 'settle', odd: Answer): Bench {
  return bench((clock) => oddStore(memoryStore({ clock }), method, odd));
}

describe.each(Object.entries(ODD))('A store that answers with %s', (_, odd) => {
  it('hands back records whose claims it was asked for, and runs none', async () => {
    const b = benchWith('acquire', odd);
    let runs = 0;
    const answer = b.processor(() => void (runs += 1))(messages('a', 'b'), b.lambda(30_000));
    await b.clock.advance(1_000);
    expect(failed(await answer)).toEqual(['a', 'b']);
    expect(runs).toBe(0);
    expect(b.eventsOf('claimFailed')).toHaveLength(2);
  });

  it('hands back records whose ends it was given', async () => {
    const b = benchWith('settle', odd);
    const answer = b.processor(() => 'done')(messages('a', 'b'), b.lambda(30_000));
    await b.clock.advance(29_000);
    expect(failed(await answer)).toEqual(['a', 'b']);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { failed: 2 } }]);
  });

  it('lets no call of a function pass for done', async () => {
    let runs = 0;
    const call = async (): Promise<void> => void (runs += 1);
    const options = { namespace: 'calls', key: () => 'k' };
    const claiming = withIdempotency(call, { ...options, store: oddStore(memoryStore(), 'acquire', odd) });
    await expect(claiming()).rejects.toBeInstanceOf(Error);
    expect(runs).toBe(0);
    const ending = withIdempotency(call, { ...options, store: oddStore(memoryStore(), 'settle', odd) });
    await expect(ending()).rejects.toMatchObject({ code: 'BATCHLATCH_COMPLETION_NOT_STORED' });
  });
});

describe('A store that answers for some of the records', () => {
  const firstOnly: Answer = ([first]) => [first];

  it('runs those that got their claims', async () => {
    const b = benchWith('acquire', firstOnly);
    const ran: string[] = [];
    const answer = b.processor(({ id }) => void ran.push(id))(messages('a', 'b'), b.lambda(30_000));
    await b.clock.advance(1_000);
    expect(failed(await answer)).toEqual(['b']);
    expect(ran).toEqual(['a']);
  });

  it('acknowledges those whose ends it stored', async () => {
    const b = benchWith('settle', firstOnly);
    const answer = b.processor(() => 'done')(messages('a', 'b'), b.lambda(30_000));
    await b.clock.advance(29_000);
    expect(failed(await answer)).toEqual(['b']);
  });

  it('runs no record of a claim without a fencing token, whose end would not be stored', async () => {
    const b = benchWith('acquire', (outcomes) => outcomes.map(() => ({ status: 'acquired' })));
    const answer = b.processor(() => 'done')(messages('a'), b.lambda(30_000));
    await b.clock.advance(1_000);
    expect(failed(await answer)).toEqual(['a']);
  });
});

it('A completion that did not fit counts as not stored if the store has no answer to it without its result', async () => {
  const tooLarge = Object.assign(new Error('too large'), { code: 'BATCHLATCH_ITEM_TOO_LARGE' });
  const answers: unknown[] = [[{ error: tooLarge }], undefined];
  const memory = memoryStore();
  const odd = { ...memory, settle: async () => answers.shift() as never };
  const completion = { end: 'complete', key: 'k', owner: 'o', result: '"long"', retentionMs: 1_000 } as const;
  const outcomes = await engineStore(odd, systemClock).settle([
    { ...completion, onResultDropped: () => undefined },
  ]);
  expect(outcomes).toMatchObject([{ error: { code: 'BATCHLATCH_STORE' } }]);
});
