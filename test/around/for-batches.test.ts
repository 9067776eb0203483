import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import {
  type BatchHandler,
  type BatchProcessorOptions,
  type ClaimStore,
  createBatchProcessor,
  waitForOwner,
} from 'batchlatch';
import { commit, type CommitItem } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { type Bench, bench, failed, fifo, ids, inTime, messages } from '../batch/bench.ts';
import { onEachStore, turn } from '../batch/on-each-store.ts';

/** The batches a handler was called with, as ids, and what it answers. */
function calls(answer: (batch: string[]) => ReturnType<BatchHandler> = () => undefined): {
  batches: string[][];
  handler: BatchHandler;
} {
  const batches: string[][] = [];
  return {
    batches,
    handler: (items) => {
      const batch = items.map(({ record }) => record.id);
      batches.push(batch);
      return answer(batch);
    },
  };
}

function run(
  b: Bench,
  handler: BatchHandler,
  options: BatchProcessorOptions = {},
): ReturnType<typeof createBatchProcessor> {
  const { store, clock } = b;
  const observer = { onEvent: (event: (typeof b.events)[number]) => void b.events.push(event) };
  return createBatchProcessor.forBatches(handler, {
    store,
    clock,
    observer,
    namespace: b.key('').split('#')[0] ?? '',
    ...options,
  });
}

onEachStore((makeStore) => {
  describe('a batch handler', () => {
    it('gets all claimed records at once, in their order', async () => {
      const b = bench(makeStore);
      await b.occupy('r59');
      const { batches, handler } = calls();
      expect(failed(await run(b, handler)(messages(...ids(60))))).toEqual(['r59']);
      expect(batches).toEqual([ids(60).filter((id) => id !== 'r59')]);
      expect((await b.claim('r58'))?.status).toBe('COMPLETED');
    });

    it('answers for each record: an error failed, anything else is its result', async () => {
      const b = bench(makeStore);
      const { handler } = calls((batch) =>
        batch.map((id) => (id === 'b' ? new Error('duplicate key') : { id })),
      );
      expect(failed(await run(b, handler)(messages('a', 'b', 'c')))).toEqual(['b']);
      expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', result: '{"id":"a"}' });
      expect(await b.claim('b')).toMatchObject({ status: 'FAILED', error: { message: 'duplicate key' } });
    });

    it('fails the record whose entry is an error of another realm, or an abort', async () => {
      const b = bench(makeStore);
      const foreign = runInNewContext('new Error("elsewhere")') as Error;
      const aborted = AbortSignal.abort().reason as Error;
      const { handler } = calls(() => [foreign, aborted, 'done']);
      expect(failed(await run(b, handler)(messages('a', 'b', 'c')))).toEqual(['a', 'b']);
    });

    it('fails all of them when it throws, or answers for another number of them', async () => {
      const b = bench(makeStore);
      const thrown = calls(() => Promise.reject(new Error('no connection')));
      expect(failed(await run(b, thrown.handler)(messages('a', 'b')))).toEqual(['a', 'b']);
      const short = calls(() => ['done']);
      expect(failed(await run(b, short.handler)(messages('c', 'd')))).toEqual(['c', 'd']);
      expect(await b.claim('c')).toMatchObject({ error: { code: 'BATCHLATCH_BATCH_ANSWER' } });
      const text = calls(() => 'done' as never);
      expect(failed(await run(b, text.handler)(messages('e')))).toEqual(['e']);
    });

    it('gets at most `concurrency` records in a call', async () => {
      const b = bench(makeStore);
      const { batches, handler } = calls();
      await run(b, handler, { concurrency: 4 })(messages(...ids(10)));
      expect(batches.map(({ length }) => length)).toEqual([4, 4, 2]);
    });

    it('gets one record of a FIFO group at a time, and none after a failure', async () => {
      const b = bench(makeStore);
      const { batches, handler } = calls((batch) => batch.map((id) => (id === 'b2' ? new Error('no') : id)));
      expect(failed(await run(b, handler)(fifo('a1', 'a2', 'b1', 'b2', 'b3', 'a3')))).toEqual(['b2', 'b3']);
      expect(batches).toEqual([['a1', 'b1'], ['a2', 'b2'], ['a3']]);
    });

    it('gets a record that died alone, after the others', async () => {
      const b = bench(makeStore);
      await b.die('a');
      const { batches, handler } = calls();
      expect(failed(await run(b, handler)(messages('a', 'b', 'c')))).toEqual([]);
      expect(batches).toEqual([['b', 'c'], ['a']]);
    });

    it('gets one of two equal records', async () => {
      const b = bench(makeStore);
      const { batches, handler } = calls();
      expect(failed(await run(b, handler, { key: () => 'same' })(messages('a', 'b')))).toEqual([]);
      expect(batches).toEqual([['a']]);
    });
  });
});

describe('a batch handler', () => {
  it('gets the records in their order, also where their claims come in another', async () => {
    const b = bench();
    const groups: (() => void)[] = [];
    const acquire: ClaimStore['acquire'] = async (requests) => {
      await new Promise<void>((resolve) => groups.push(resolve));
      return b.store.acquire(requests);
    };
    await b.occupy('r10');
    const { batches, handler } = calls();
    const running = run(b, handler, { store: { ...b.store, acquire } })(messages(...ids(60)));
    // The first group, with the conflict in it, is answered last: the others wait already.
    for (const answer of groups.toReversed()) {
      answer();
      for (let turns = 0; turns < 5; turns += 1) await turn();
    }
    expect(failed(await running)).toEqual(['r10']);
    expect(batches).toEqual([ids(60).filter((id) => id !== 'r10')]);
  });

  it('is called when the last that could have joined turns out not to be free', async () => {
    const b = bench();
    const answers = new Map<string, () => void>();
    const store: ClaimStore = {
      ...b.store,
      requestSize: 1,
      async acquire(requests) {
        await new Promise<void>((resolve) => answers.set(requests[0]?.key ?? '', resolve));
        return b.store.acquire(requests);
      },
    };
    await b.occupy('b');
    const { batches, handler } = calls();
    const running = run(b, handler, { store })(messages('a', 'b'));
    answers.get(b.key('a'))?.();
    for (let turns = 0; turns < 5; turns += 1) await turn();
    expect(batches).toEqual([]);
    answers.get(b.key('b'))?.();
    expect(failed(await running)).toEqual(['b']);
    expect(batches).toEqual([['a']]);
  });

  it('is not kept from the others by a record that waits for another owner', async () => {
    const b = bench();
    await b.occupy('a');
    const { batches, handler } = calls();
    const running = run(b, handler, { onConflict: waitForOwner({ timeoutMs: 500 }) })(
      messages('a', 'b', 'c'),
    );
    expect(failed(await inTime(b.clock, running))).toEqual(['a']);
    expect(batches).toEqual([['b', 'c']]);
  });

  it('gets no record whose lease was over before the others were there, and renews one that is short', async () => {
    const b = bench();
    const answers = new Map<string, () => void>();
    const renewed: string[][] = [];
    const store: ClaimStore = {
      ...b.store,
      requestSize: 1,
      async acquire(requests) {
        const outcomes = await b.store.acquire(requests);
        await new Promise<void>((resolve) => answers.set(requests[0]?.key ?? '', resolve));
        return outcomes;
      },
      async extend(extensions) {
        renewed.push(extensions.map(({ key }) => key));
        return b.store.extend(extensions);
      },
    };
    const { batches, handler } = calls();
    const running = run(b, handler, { store, leaseMs: 1_000 })(messages('a', 'b', 'c'));
    const arrive = async (id: string): Promise<void> => {
      await turn();
      answers.get(b.key(id))?.();
      for (let turns = 0; turns < 5; turns += 1) await turn();
    };
    await arrive('a');
    await arrive('b');
    await b.clock.advance(1_001);
    const taken = await b.store.acquire([
      { key: b.key('a'), owner: 'other', leaseMs: 60_000, retentionMs: 60_000 },
    ]);
    expect(taken).toMatchObject([{ status: 'acquired', attempt: 2 }]);
    await arrive('c');
    expect(failed(await running)).toEqual(['a']);
    expect(renewed).toEqual([[b.key('a'), b.key('b'), b.key('c')]]);
    expect(batches).toEqual([['b', 'c']]);
    expect(b.typesOf('a')).not.toContain('started');
    expect(await b.claim('a')).toMatchObject({ status: 'IN_PROGRESS', owner: 'other' });
  });

  it('counts no attempt of a record that waited for others until the time was over', async () => {
    const b = bench();
    const store: ClaimStore = {
      ...b.store,
      requestSize: 1,
      acquire: (requests) =>
        requests[0]?.key === b.key('b') ? new Promise(() => undefined) : b.store.acquire(requests),
    };
    const { batches, handler } = calls();
    const running = run(b, handler, { store, maxAttempts: 1 })(messages('a', 'b'), b.lambda(1_500));
    expect(failed(await inTime(b.clock, running))).toEqual(['a', 'b']);
    expect(batches).toEqual([]);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', releases: 1 });
    expect(failed(await run(b, handler, { maxAttempts: 1 })(messages('a')))).toEqual([]);
  });

  it('commits the effects of single records', async () => {
    const committed: unknown[] = [];
    const b = bench((clock) =>
      memoryStore({
        clock,
        onCommit: (items: readonly CommitItem[]) => void committed.push(...items),
      }),
    );
    const item = { Put: { TableName: 'ledger', Item: { id: 'a' } } };
    const answer = await run(b, async ([first, second]) => {
      if (first !== undefined) await commit(first.context, [item], { result: 'booked' });
      return [new Error('after its commit'), second?.record.id];
    })(messages('a', 'b'));
    expect(failed(answer)).toEqual([]);
    expect(committed).toEqual([item]);
    expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', result: '"booked"' });
    expect(await b.claim('b')).toMatchObject({ status: 'COMPLETED', result: '"b"' });
    expect(b.typesOf('a')).toContain('failedAfterCommit');
  });

  it('has a context for each record', async () => {
    const b = bench();
    const seen: unknown[] = [];
    await run(b, (items) => {
      for (const { context } of items)
        seen.push([context.idempotencyKey, context.attempt, context.signal.aborted]);
    })(messages('a', 'b'));
    expect(seen).toEqual([
      [b.key('a'), 1, false],
      [b.key('b'), 1, false],
    ]);
  });

  it('that does not end in time is given up, and its records are handed back', async () => {
    const b = bench();
    const processor = run(b, () => new Promise(() => undefined));
    expect(failed(await inTime(b.clock, processor(messages('a', 'b'), b.lambda(1_500))))).toEqual(['a', 'b']);
  });

  it('has to be a function', () => {
    expect(() => createBatchProcessor.forBatches('no' as never)).toThrow('batch handler');
  });

  it('is not called for an empty batch', async () => {
    const { batches, handler } = calls();
    expect(failed(await run(bench(), handler)({ Records: [] }))).toEqual([]);
    expect(batches).toEqual([]);
  });
});
