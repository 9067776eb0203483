import { describe, expect, it } from '@jest/globals';
import { type BatchHandler, createBatchProcessor, type RecordHandler } from 'batchlatch';
import { commit } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { type Bench, bench, failed, fifo, inTime, messages } from '../batch/bench.ts';

/** Takes 100 ms for each of twelve items, and stops between two of them when it is told to. */
function itemByItem(b: Bench, done: number[], look: (signal: AbortSignal) => boolean): RecordHandler {
  return async (_, { signal }) => {
    for (let item = 0; item < 12; item += 1) {
      if (look(signal)) return;
      await pause(b, 100);
      done.push(item);
    }
  };
}

function pause(b: Bench, ms: number): Promise<void> {
  return new Promise((resolve) => {
    b.clock.setTimer(resolve, ms);
  });
}

const polite = ({ aborted }: AbortSignal): boolean => aborted;

const interrupted = (cause: string): object => ({
  type: 'failed',
  error: expect.objectContaining({
    code: 'BATCHLATCH_INTERRUPTED',
    cause: expect.objectContaining({ code: cause }),
  }),
});

describe('A handler that sees its signal aborted, stops half-way and returns', () => {
  it.each<[string, object, number | undefined, string]>([
    ['after recordTimeoutMs', { recordTimeoutMs: 300 }, undefined, 'BATCHLATCH_RECORD_TIMEOUT'],
    ['at the deadline', {}, 1_900, 'BATCHLATCH_DEADLINE'],
    ['when its lease is over', { leaseMs: 300 }, undefined, 'BATCHLATCH_LEASE_LOST'],
  ])('is handed back, and may run again: %s', async (_, options, remainingMs, cause) => {
    const b = bench();
    const done: number[] = [];
    const process = b.processor(itemByItem(b, done, polite), options);
    const lambda = remainingMs === undefined ? undefined : b.lambda(remainingMs);
    expect(failed(await inTime(b.clock, process(messages('a'), lambda)))).toEqual(['a']);
    expect(done.length).toBeLessThan(12);
    expect(b.events).toContainEqual(expect.objectContaining(interrupted(cause)));
    expect(await b.claim('a')).toMatchObject({
      status: 'FAILED',
      error: { code: 'BATCHLATCH_INTERRUPTED' },
    });
    const again = b.processor(itemByItem(b, done, polite));
    expect(failed(await inTime(b.clock, again(messages('a'))))).toEqual([]);
  });

  it('is handed back too where it learnt of it by a listener, or through a signal made of its own', async () => {
    for (const listen of [
      (signal: AbortSignal, stop: () => void) => signal.addEventListener('abort', stop),
      (signal: AbortSignal, stop: () => void) =>
        AbortSignal.any([signal, new AbortController().signal]).addEventListener('abort', stop),
    ]) {
      const b = bench();
      const handler: RecordHandler = (_, { signal }) =>
        new Promise<void>((resolve) => {
          listen(signal, () => resolve());
        });
      const answer = b.processor(handler, { recordTimeoutMs: 300 })(messages('a'));
      expect(failed(await inTime(b.clock, answer))).toEqual(['a']);
    }
  });

  it('stops its message group', async () => {
    const b = bench();
    const runs: string[] = [];
    const handler: RecordHandler = async ({ id }, { signal }) => {
      runs.push(id);
      await pause(b, 400);
      if (signal.aborted) return;
    };
    const answer = b.processor(handler, { recordTimeoutMs: 300 })(fifo('a1', 'a2'));
    expect(failed(await inTime(b.clock, answer))).toEqual(['a1', 'a2']);
    expect(runs).toEqual(['a1']);
  });

  it('is parked when no attempt is left', async () => {
    const b = bench();
    const options = { recordTimeoutMs: 300, maxAttempts: 1 };
    const answer = b.processor(itemByItem(b, [], polite), options)(messages('a'));
    await inTime(b.clock, answer);
    expect((await b.claim('a'))?.status).toBe('PARKED');
  });

  it('settles nothing as done when it returns after its batch has gone', async () => {
    const b = bench();
    const handler: RecordHandler = async (_, { signal }) => {
      await pause(b, 2_500);
      if (signal.aborted) return;
    };
    const answer = b.processor(handler)(messages('a'), b.lambda(3_000));
    await b.clock.advance(2_600);
    expect(failed(await answer)).toEqual(['a']);
    expect((await b.claim('a'))?.status).toBe('FAILED');
  });
});

describe('A handler that finishes in spite of an aborted signal', () => {
  it('says so with done()', async () => {
    const b = bench();
    const handler: RecordHandler = async (_, { signal, done }) => {
      await pause(b, 400);
      if (signal.aborted) done();
      return { chargeId: 1 };
    };
    const answer = b.processor(handler, { recordTimeoutMs: 300 })(messages('a'));
    expect(failed(await inTime(b.clock, answer))).toEqual([]);
    expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', result: '{"chargeId":1}' });
  });

  it('need not say so where it never looked', async () => {
    const b = bench();
    const handler: RecordHandler = (_, { signal }) => {
      expect(signal.aborted).toBe(false);
      return pause(b, 400);
    };
    const answer = b.processor(handler, { recordTimeoutMs: 300 })(messages('a'));
    expect(failed(await inTime(b.clock, answer))).toEqual([]);
  });

  it('need not say so where its effect is committed with its completion', async () => {
    const b = bench((clock) => memoryStore({ clock, onCommit: () => undefined }));
    const handler: RecordHandler = async (_, context) => {
      await pause(b, 400);
      if (context.signal.aborted) await commit(context, [{ Put: { TableName: 't', Item: { id: 1 } } }]);
    };
    const answer = b.processor(handler, { recordTimeoutMs: 300 })(messages('a'));
    expect(failed(await inTime(b.clock, answer))).toEqual([]);
    expect(b.eventsOf('failedAfterCommit')).toEqual([]);
  });
});

describe('A batch handler that sees a signal aborted and returns', () => {
  const run = (b: Bench, handler: BatchHandler): ReturnType<typeof createBatchProcessor> =>
    createBatchProcessor.forBatches(handler, {
      store: b.store,
      clock: b.clock,
      observer: { onEvent: (event) => void b.events.push(event) },
      namespace: b.key('').split('#')[0] ?? '',
      recordTimeoutMs: 300,
    });

  it('has broken off all whose signals are aborted, whichever of them it looked at', async () => {
    const b = bench();
    const answer = run(b, async ([first]) => {
      await pause(b, 400);
      if (first?.context.signal.aborted === true) return;
    })(messages('a', 'b'));
    expect(failed(await inTime(b.clock, answer))).toEqual(['a', 'b']);
    expect((await b.claim('b'))?.error?.code).toBe('BATCHLATCH_INTERRUPTED');
  });

  it('has broken off those too whose own signals are not aborted, but for what it has an answer for', async () => {
    const b = bench();
    const outcomes: string[][] = [];
    for (const answer of [undefined, [undefined, 'done', undefined]]) {
      const handler: BatchHandler = async ([first, second]) => {
        await first?.context.extendLease(1_000);
        await second?.context.extendLease(1_000);
        await pause(b, 400);
        return items3[2]?.context.signal.aborted === true ? answer : [];
      };
      let items3: Parameters<BatchHandler>[0] = [];
      const process = createBatchProcessor.forBatches(
        (items) => {
          items3 = items;
          return handler(items);
        },
        {
          store: b.store,
          clock: b.clock,
          observer: { onEvent: () => undefined },
          namespace: `n${outcomes.length}`,
          leaseMs: 300,
        },
      );
      outcomes.push(failed(await inTime(b.clock, process(messages('a', 'b', 'c')))));
    }
    expect(outcomes).toEqual([
      ['a', 'b', 'c'],
      ['a', 'c'],
    ]);
  });

  it('has finished those for which it says done()', async () => {
    const b = bench();
    const answer = run(b, async ([first, second]) => {
      await pause(b, 400);
      if (second?.context.signal.aborted === true) first?.context.done();
    })(messages('a', 'b'));
    expect(failed(await inTime(b.clock, answer))).toEqual(['b']);
  });
});
