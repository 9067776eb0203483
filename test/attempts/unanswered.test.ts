import { describe, expect, it } from '@jest/globals';
import {
  backoff,
  type BatchProcessorOptions,
  type ClaimStore,
  heartbeat,
  PermanentError,
  type RecordHandler,
  resultsIn,
  type SqsClient,
  StoreError,
  deadLetterQueue,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type Bench, bench, failed, forever, ids, inTime, messages } from '../batch/bench.ts';

/** What a store says when its answer is lost: it is written all the same. */
const lost = (): StoreError => new StoreError('no answer', { isRetryable: true });

/** A store that loses its answers, or never answers, as long as it is told to; it writes all the same. */
function flaky(store: ClaimStore): { store: ClaimStore; loses: Set<'acquire' | 'settle' | 'inspect'> } {
  const loses = new Set<'acquire' | 'settle' | 'inspect'>();
  return {
    loses,
    store: {
      ...store,
      async acquire(requests) {
        const outcomes = await store.acquire(requests);
        return loses.has('acquire')
          ? requests.map(() => ({ status: 'error', error: lost() }) as const)
          : outcomes;
      },
      async settle(settlements) {
        if (loses.has('settle')) throw lost();
        return store.settle(settlements);
      },
      async inspect(key) {
        if (loses.has('inspect')) throw lost();
        return store.inspect(key);
      },
    },
  };
}

describe('Claims whose answers are lost', () => {
  it('are given back in the same invocation, so that nothing that never started looks like a death', async () => {
    const b = bench();
    const { store, loses } = flaky(b.store);
    loses.add('acquire');
    const options = { store, onLapsedLease: 'park' } as const;
    expect(await b.run(() => 'done', ids(10), options)).toEqual(ids(10));
    expect(await b.claim('r0')).toMatchObject({ status: 'FAILED', releases: 1, crashes: 0 });
    loses.clear();
    expect(await b.run(() => 'done', ids(10), options)).toEqual([]);
  });

  it('are given back by the next invocation, where the store has not come back before', async () => {
    const b = bench();
    const { store, loses } = flaky(b.store);
    const runs: string[] = [];
    const process = b.processor(({ id }) => void runs.push(id), { store });
    loses.add('acquire').add('inspect');
    expect(failed(await process(messages('a')))).toEqual(['a']);
    expect(await b.claim('a')).toMatchObject({ status: 'IN_PROGRESS' });
    loses.clear();
    expect(failed(await process(messages('b')))).toEqual([]);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', releases: 1 });
    expect(failed(await process(messages('a')))).toEqual([]);
    expect(runs).toEqual(['b', 'a']);
  });

  it('are left alone where they are another owner by now', async () => {
    const b = bench();
    const { store, loses } = flaky(b.store);
    const process = b.processor(() => 'done', { store, leaseMs: 1_000 });
    loses.add('acquire').add('inspect');
    await process(messages('a'));
    await b.clock.advance(1_000);
    await b.occupy('a');
    const others = await b.claim('a');
    loses.clear();
    await process(messages('b'));
    expect(await b.claim('a')).toEqual(others);
  });

  it('are given back where they are written only after the first look for them', async () => {
    const b = bench();
    let land: () => Promise<unknown> = async () => undefined;
    const store: ClaimStore = {
      ...b.store,
      async acquire(requests) {
        if (requests[0]?.key !== b.key('a')) return b.store.acquire(requests);
        land = () => b.store.acquire(requests);
        throw lost();
      },
    };
    const process = b.processor(() => 'done', { store });
    expect(failed(await process(messages('a')))).toEqual(['a']);
    await land();
    expect(await b.claim('a')).toMatchObject({ status: 'IN_PROGRESS' });
    await process(messages('b'));
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', releases: 1 });
  });

  it('are looked up a few at a time, so that a silent store is not asked for all of them', async () => {
    const b = bench();
    let looks = 0;
    const store: ClaimStore = {
      ...b.store,
      acquire: () => Promise.reject(lost()),
      inspect: () => {
        looks += 1;
        return forever();
      },
    };
    const answer = inTime(b.clock, b.processor(() => 'done', { store })(messages(...ids(500))));
    expect(failed(await answer)).toHaveLength(500);
    expect(looks).toBeLessThanOrEqual(25);
  });

  it('do not hold the answer up for longer than a second while the store is silent', async () => {
    const b = bench();
    const store = { ...flaky(b.store).store, acquire: () => Promise.reject(lost()), inspect: forever };
    const startedAt = b.clock.now();
    expect(failed(await inTime(b.clock, b.processor(() => 'done', { store })(messages('a'))))).toEqual(['a']);
    expect(b.clock.now() - startedAt).toBeLessThanOrEqual(1_000);
  });
});

describe('A claim that waited for its turn and could not be released', () => {
  it('is given back by the next invocation', async () => {
    const b = bench();
    const { store, loses } = flaky(b.store);
    let runs = 0;
    const process = b.processor(
      async () => {
        runs += 1;
        if (runs === 1) await forever();
      },
      { store, concurrency: 1, maxCrashes: 1 },
    );
    const answer = process(messages('hangs', 'waits'), b.lambda(30_000));
    await b.clock.advance(28_000);
    loses.add('settle').add('inspect');
    await b.clock.advance(2_000);
    expect(failed(await answer)).toEqual(['hangs', 'waits']);
    expect(await b.claim('waits')).toMatchObject({ status: 'IN_PROGRESS' });
    loses.clear();
    await process(messages('other'), b.lambda(30_000));
    expect(await b.claim('waits')).toMatchObject({ status: 'FAILED', releases: 1 });
  });
});

describe('A queue that never answers', () => {
  const sqs = { changeMessageVisibilityBatch: forever, sendMessage: forever } as SqsClient;
  const deadLetter = deadLetterQueue({ url: 'https://sqs.eu-west-1.amazonaws.com/123456789012/dead' });
  const refusing: RecordHandler = () => {
    throw new PermanentError('no such customer');
  };
  const slow = (b: Bench): RecordHandler => {
    return () =>
      new Promise<void>((resolve) => {
        b.clock.setTimer(resolve, 3_000);
      });
  };

  it.each<[string, BatchProcessorOptions, (b: Bench) => RecordHandler, string[]]>([
    ['is told when to show a message again', { visibility: backoff() }, () => refusing, ['a']],
    ['is given a dead letter', { deadLetter }, () => refusing, ['a']],
    ['is to keep messages invisible', { heartbeat: heartbeat({ intervalMs: 1_000 }) }, slow, []],
  ])('holds the answer up for seconds, when it %s, and not for ever', async (_, options, handler, back) => {
    for (const remainingMs of [undefined, 900_000]) {
      const b = bench();
      const lambda = remainingMs === undefined ? undefined : b.lambda(remainingMs);
      const answer = b.processor(handler(b), { sqs, ...options })(messages('a'), lambda);
      await b.clock.advance(12_000);
      expect(failed(await answer)).toEqual(back);
    }
  });
});

describe('A store that never answers', () => {
  it.each(['acquire', 'settle', 'extend'] as const)(
    'ends the run all the same, without a deadline: %s',
    async (call) => {
      const b = bench((clock) => ({ ...memoryStore({ clock }), [call]: forever }));
      const process = b.processor(
        (_, { extendLease }) => (call === 'extend' ? extendLease(90_000) : Promise.resolve()),
        { leaseMs: 60_000 },
      );
      const answer = process(messages('a'));
      await b.clock.advance(300_000);
      expect(failed(await answer)).toEqual(['a']);
    },
  );

  it('ends the run all the same where it is the storage of long results', async () => {
    const silent = { put: forever, get: forever };
    const b = bench((clock) =>
      resultsIn(silent, { ...memoryStore({ clock }), maxResultBytes: 10 }, { clock }),
    );
    const answer = b.processor(() => 'x'.repeat(100))(messages('a'));
    await b.clock.advance(30_000);
    expect(failed(await answer)).toEqual([]);
    expect((await b.claim('a'))?.status).toBe('COMPLETED');
  });

  it('gives back the claims that it brings after nobody waits for them any more', async () => {
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        async acquire(requests) {
          const outcomes = await store.acquire(requests);
          await new Promise<void>((resolve) => clock.setTimer(resolve, 31_000));
          return outcomes;
        },
      };
    });
    const answer = b.processor(() => 'done')(messages('a'));
    await b.clock.advance(30_999);
    expect(failed(await answer)).toEqual(['a']);
    await b.clock.advance(1_000);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', releases: 1 });
  });
});
