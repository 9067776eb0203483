import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor, type ObservedInvocation, type Observer } from 'batchlatch';
import { type Bench, bench, deferred, failed, fifo, forever, messages } from './bench.ts';

/** A bench's processor with an observer that also does this. */
function observed(b: Bench, more: Partial<Observer>): { readonly observer: Observer } {
  return { observer: { onEvent: (event) => void b.events.push(event), ...more } };
}

const throws = (): never => {
  throw new Error('a broken observer');
};
const rejects = (): Promise<never> => Promise.reject(new Error('a broken observer'));

describe('An observer', () => {
  it.each([
    ['throws', throws],
    ['rejects', rejects],
  ])('that %s everywhere harms no record', async (_how, broken) => {
    const b = bench();
    const runs: string[] = [];
    const observer: Observer = {
      onEvent: broken,
      onInvocation: broken,
      onOutcome: broken,
      aroundHandler: broken,
    };
    expect(await b.run(({ id }) => runs.push(id), ['a', 'b'], { observer })).toEqual([]);
    expect(runs).toEqual(['a', 'b']);
    expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED' });
  });

  it('is told of an invocation before its events, in the context of the call', async () => {
    const b = bench();
    const told: unknown[] = [];
    const caller = new AsyncLocalStorage<string>();
    const process = b.processor(() => 'done', {
      observer: {
        onEvent: ({ type }) => void told.push(type),
        onInvocation: ({ records }) => void told.push([caller.getStore(), records]),
      },
    });
    await caller.run('caller', () => process(messages('a', 'b')));
    expect(told[0]).toEqual(['caller', 2]);
    expect(told.filter(Array.isArray)).toHaveLength(1);
  });

  it('is told once how each record ended', async () => {
    const b = bench();
    await b.run(() => 'done', ['done-before']);
    await b.occupy('held');
    const outcomes: [string, string][] = [];
    const event = messages('ok', 'ok', 'bad', 'done-before', 'held', 'unread');
    Object.assign(event.Records[5] as object, { body: null });
    const options = observed(b, { onOutcome: (id, outcome) => void outcomes.push([id, outcome]) });
    const process = b.processor(({ id }) => {
      if (id === 'bad') throw new Error('declined');
    }, options);
    expect(failed(await process(event))).toEqual(['bad', 'held', 'unread']);
    expect(outcomes.toSorted(([a], [b]) => (a < b ? -1 : 1))).toEqual([
      ['bad', 'failed'],
      ['done-before', 'duplicate'],
      ['held', 'conflict'],
      ['ok', 'completed'],
      ['ok', 'duplicate'],
      ['unread', 'invalid'],
    ]);
  });

  it('is told of what its message group held back', async () => {
    const b = bench();
    const outcomes: [string, string][] = [];
    const options = observed(b, { onOutcome: (id, outcome) => void outcomes.push([id, outcome]) });
    await b.processor(() => Promise.reject(new Error('declined')), options)(fifo('a1', 'a2'));
    expect(outcomes).toEqual([
      ['a1', 'failed'],
      ['a2', 'not-started'],
    ]);
  });
});

describe('What is put around a handler', () => {
  it('is seen by it, and by what it waits for', async () => {
    const b = bench();
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const options = observed(b, {
      aroundHandler: ([attempt], _invocation, run) => storage.run(attempt?.recordId ?? '', run),
    });
    const handler = async (): Promise<void> => {
      const before = storage.getStore();
      await Promise.resolve();
      seen.push([before, storage.getStore()]);
    };
    await b.run(handler, ['a', 'b'], options);
    expect(seen).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ]);
  });

  it('knows the attempt and the invocation', async () => {
    const b = bench();
    const told: unknown[] = [];
    const invocations = new Set<unknown>();
    const options = {
      observer: {
        onEvent: (_event: unknown, invocation?: ObservedInvocation) => void invocations.add(invocation),
        aroundHandler(attempts: unknown, invocation: unknown, run: () => void): void {
          told.push(attempts);
          invocations.add(invocation);
          run();
        },
      },
    };
    await b.run(() => 'done', ['a'], options);
    const { owner } = (await b.claim('a')) ?? {};
    expect(told).toEqual([[{ recordId: 'a', key: b.key('a'), owner, attempt: 1 }]]);
    expect(invocations.size).toBe(1);
  });

  it.each<[string, NonNullable<Observer['aroundHandler']>]>([
    ['calls it twice', (_attempts, _invocation, run) => [run(), run()]],
    ['does not call it', () => undefined],
    ['throws before it', throws],
    [
      'throws after it',
      (_attempts, _invocation, run) => {
        run();
        throws();
      },
    ],
    ['rejects', rejects],
    [
      'calls it later again',
      (_attempts, _invocation, run) => {
        run();
        queueMicrotask(run);
        setTimeout(run, 0);
      },
    ],
    ['returns something else', (_attempts, _invocation, run) => [run(), 'other']],
  ])('cannot change what becomes of it: it %s', async (_what, aroundHandler) => {
    const b = bench();
    const runs: string[] = [];
    const options = observed(b, { aroundHandler });
    const handler = async ({ id }: { id: string }): Promise<string> => {
      runs.push(id);
      if (id === 'bad') throw new Error('declined');
      return `result of ${id}`;
    };
    expect(await b.run(handler, ['ok', 'bad'], options)).toEqual(['bad']);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(runs).toEqual(['ok', 'bad']);
    expect(await b.claim('ok')).toMatchObject({ status: 'COMPLETED', result: '"result of ok"' });
    expect(await b.claim('bad')).toMatchObject({ status: 'FAILED', error: { message: 'declined' } });
  });

  it('does not see what a handler throws at once', async () => {
    const b = bench();
    let caught: unknown;
    const options = observed(b, {
      aroundHandler(_attempts, _invocation, run) {
        try {
          run();
        } catch (thrown) {
          caught = thrown;
        }
      },
    });
    expect(
      await b.run(
        () => {
          throw new Error('declined');
        },
        ['a'],
        options,
      ),
    ).toEqual(['a']);
    expect(caught).toBeUndefined();
    expect(b.eventsOf('failed')).toMatchObject([{ error: { message: 'declined' } }]);
  });

  it('is put around a batch handler once, with all its attempts in their order', async () => {
    const b = bench();
    const storage = new AsyncLocalStorage<string>();
    const told: string[][] = [];
    const seen: unknown[] = [];
    const process = createBatchProcessor.forBatches(
      async (items) => {
        await Promise.resolve();
        seen.push([storage.getStore(), items.length]);
      },
      {
        store: b.store,
        clock: b.clock,
        namespace: 'batches',
        ...observed(b, {
          aroundHandler(attempts, _invocation, run) {
            told.push(attempts.map(({ recordId }) => recordId));
            storage.run('batch', run);
          },
        }),
      },
    );
    expect(failed(await process(messages('a', 'b', 'c')))).toEqual([]);
    expect(told).toEqual([['a', 'b', 'c']]);
    expect(seen).toEqual([['batch', 3]]);
  });
});

describe('A handler that goes on after its signal', () => {
  it('is told as stuck after five seconds, once', async () => {
    const b = bench();
    let signal: AbortSignal | undefined;
    const answer = b.run((_record, context) => ((signal = context.signal), forever()), ['a'], {
      leaseMs: 1_000,
    });
    await b.clock.advance(1_000 + 4_999);
    expect(signal?.aborted).toBe(true);
    expect(b.eventsOf('stuck')).toEqual([]);
    await b.clock.advance(60_000);
    expect(b.eventsOf('stuck')).toMatchObject([
      { recordId: 'a', attempt: 1, sinceAbortMs: 5_000, hasEnded: false },
    ]);
    void answer;
  });

  it('is told although it is not waited for any more, while others run', async () => {
    const b = bench();
    const others = deferred();
    const run = ({ id }: { id: string }): unknown => (id === 'slow' ? forever() : others.promise);
    const process = b.processor(run, { recordTimeoutMs: 6_000, concurrency: 1 });
    const answer = process(messages('slow', 'other'));
    await b.clock.advance(6_500); // abandoned; the other one starts
    expect(b.typesOf('slow')).toContain('abandoned');
    await b.clock.advance(4_500);
    expect(b.eventsOf('stuck')).toMatchObject([{ recordId: 'slow', sinceAbortMs: 5_000 }]);
    others.resolve();
    expect(failed(await answer)).toEqual(['slow']);
  });

  it('is not told when it ends in time', async () => {
    const b = bench();
    const end = deferred();
    const answer = b.run(() => end.promise, ['a'], { leaseMs: 1_000 });
    await b.clock.advance(5_000);
    end.resolve();
    await answer;
    await b.clock.advance(60_000);
    expect(b.eventsOf('stuck')).toEqual([]);
  });

  it('is told when it ends long after its invocation, and no timer outlives that', async () => {
    const b = bench();
    const end = deferred();
    const answer = b.processor(() => end.promise)(messages('a'), b.lambda(3_000));
    await b.clock.advance(2_500);
    await answer;
    await b.clock.advance(60_000);
    expect(b.eventsOf('stuck')).toEqual([]);
    end.resolve();
    await b.clock.advance(0);
    expect(b.eventsOf('stuck')).toMatchObject([{ recordId: 'a', sinceAbortMs: 60_500, hasEnded: true }]);
  });

  it('is not told when it ends soon after its invocation', async () => {
    const b = bench();
    const end = deferred();
    const answer = b.processor(() => end.promise)(messages('a'), b.lambda(3_000));
    await b.clock.advance(2_500);
    await answer;
    end.resolve();
    await b.clock.advance(60_000);
    expect(b.eventsOf('stuck')).toEqual([]);
    expect(b.eventsOf('abandoned')).toHaveLength(1);
  });
});
