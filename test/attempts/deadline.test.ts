import { describe, expect, it } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { type Clock, type Decoder, decoder, type RecordContext, type RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext } from 'batchlatch/testing';
import { bench, deferred, failed, fifo, forever, ids, inTime, messages } from '../batch/bench.ts';
import { turn } from '../batch/on-each-store.ts';

/** Ends as soon as it is told to, by throwing the reason. */
const obedient: RecordHandler = (_, { signal }) => {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
};

/** Ends after three turns of the event loop more than that. */
const reluctant: RecordHandler = async (record, context) => {
  await Promise.resolve(obedient(record, context)).catch(() => undefined);
  for (let turns = 0; turns < 3; turns += 1) await turn();
};

describe('A second before the timeout of Lambda', () => {
  it('aborts the signal of what runs, with the reason, and not a millisecond earlier', async () => {
    const b = bench();
    let context: RecordContext | undefined;
    const answer = b.processor((_, given) => {
      context = given;
      return forever();
    })(messages('a'), b.lambda(30_000));

    await b.clock.advance(28_999);
    expect(context?.signal.aborted).toBe(false);
    await b.clock.advance(1);
    expect(context?.signal.aborted).toBe(true);
    expect(context?.signal.reason).toMatchObject({ code: 'BATCHLATCH_DEADLINE' });
    await b.clock.advance(500);
    await answer;
  });

  it('gives a handler that first looks at the signal then an aborted one', async () => {
    const b = bench();
    const gate = deferred();
    const seen: unknown[] = [];
    const answer = b.processor(async (_, context) => {
      await gate.promise;
      seen.push(context.signal.aborted, context.signal.reason);
    })(messages('a'), b.lambda(30_000));
    await b.clock.advance(29_000);
    gate.resolve();
    await answer;
    expect(seen).toEqual([true, expect.objectContaining({ code: 'BATCHLATCH_DEADLINE' })]);
  });

  it('starts nothing more: what waits is released, reported, and costs no attempt', async () => {
    const b = bench();
    const runs: string[] = [];
    const handler: RecordHandler = (record, context) => {
      runs.push(record.id);
      return obedient(record, context);
    };
    const answer = b.processor(handler, { concurrency: 1 })(messages(...ids(4)), b.lambda(30_000));
    await b.clock.advance(29_010);
    expect(failed(await answer)).toEqual(ids(4));
    expect(runs).toEqual(['r0']);
    expect(b.eventsOf('notStarted')).toEqual(
      ids(4)
        .slice(1)
        .map((recordId) => ({ type: 'notStarted', recordId, key: b.key(recordId), reason: 'deadline' })),
    );
    expect(await b.claim('r3')).toMatchObject({ status: 'FAILED', attempt: 1, releases: 1 });
  });

  it('gives back at once what waits behind a handler that does not stop', async () => {
    const b = bench();
    const answer = b.processor(forever, { concurrency: 1 })(messages(...ids(2)), b.lambda(30_000));
    await b.clock.advance(29_010);
    expect(await b.claim('r1')).toMatchObject({ status: 'FAILED', releases: 1 });
    await b.clock.advance(490);
    expect(failed(await answer)).toEqual(ids(2));
  });

  it('starts nothing more in a message group whose message still succeeds', async () => {
    const b = bench();
    const end = deferred();
    const runs: string[] = [];
    const answer = b.processor(({ id }) => {
      runs.push(id);
      return end.promise;
    })(fifo('a1', 'a2', 'a3'), b.lambda(30_000));
    await b.clock.advance(29_100);
    end.resolve();
    await b.clock.advance(100);
    expect(failed(await answer)).toEqual(['a2', 'a3']);
    expect(runs).toEqual(['a1']);
    expect(await b.claim('a3')).toMatchObject({ status: 'FAILED', releases: 1 });
  });

  it('gives back a claim that was on its way from the store', async () => {
    const gate = deferred();
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        async acquire(requests) {
          const outcomes = await store.acquire(requests);
          await gate.promise;
          return outcomes;
        },
      };
    });
    const answer = b.processor(forever)(messages('a'), b.lambda(30_000));
    await b.clock.advance(29_100);
    gate.resolve();
    expect(failed(await answer)).toEqual(['a']);
    expect(b.typesOf('a')).toEqual(['claimed', 'notStarted', 'settling']);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', releases: 1 });
  });

  it('gives back a claim that was on its way for a record that had waited to be asked for', async () => {
    const gate = deferred();
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        requestSize: 1,
        async acquire(requests) {
          const outcomes = await store.acquire(requests);
          if (requests.some(({ key }) => key.endsWith('a2'))) await gate.promise;
          return outcomes;
        },
      };
    });
    const second = deferred();
    const handler: RecordHandler = ({ id }) => {
      return id === 'a1' ? 'done' : id === 'b1' ? second.promise : forever();
    };
    const process = b.processor(handler, { concurrency: 1 });
    const answer = process(fifo('a1', 'b1', 'c1', 'a2'), b.lambda(30_000));
    // a1 is done, b1 runs and c1 is claimed ahead: a2 has its turn, and no room to be asked for.
    await b.clock.advance(1_000);
    second.resolve();
    await b.clock.advance(28_100);
    gate.resolve();
    await b.clock.advance(400);
    expect(failed(await answer)).toEqual(['c1', 'a2']);
    expect(await b.claim('a2')).toMatchObject({ status: 'FAILED', releases: 1 });
  });

  it('asks for no more claims', async () => {
    const b = bench();
    const answer = b.processor(obedient, { concurrency: 1 })(messages(...ids(80)), b.lambda(30_000));
    await b.clock.advance(29_010);
    expect(failed(await answer)).toEqual(ids(80));
    expect(await b.claim('r24')).toMatchObject({ status: 'FAILED', releases: 1 });
    expect(await b.claim('r25')).toBeUndefined();
  });

  it('acknowledges a handler that succeeds within the grace', async () => {
    const b = bench();
    const end = deferred();
    const answer = b.processor(() => end.promise)(messages('a'), b.lambda(30_000));
    await b.clock.advance(29_499);
    end.resolve();
    expect(failed(await answer)).toEqual([]);
    expect((await b.claim('a'))?.status).toBe('COMPLETED');
  });

  it('settles a handler that gives up within the grace: it failed, because of the time, and may come again at once', async () => {
    const b = bench();
    const answer = b.processor(async (record, context) => {
      try {
        await obedient(record, context);
      } catch {
        throw new Error('half of it is done');
      }
    })(messages('a'), b.lambda(30_000));
    await b.clock.advance(29_000);
    expect(failed(await answer)).toEqual(['a']);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', error: { code: 'BATCHLATCH_DEADLINE' } });
    expect(b.eventsOf('failed')).toMatchObject([
      { error: { code: 'BATCHLATCH_DEADLINE', cause: { message: 'half of it is done' } } },
    ]);
  });

  it('waits for half of that second, then answers without the handler', async () => {
    const b = bench();
    let answeredAfterMs: number | undefined;
    const startedAt = b.clock.now();
    const answer = b
      .processor(forever)(messages('a'), b.lambda(30_000))
      .finally(() => {
        answeredAfterMs = b.clock.now() - startedAt;
      });
    await b.clock.advance(30_000);
    expect(failed(await answer)).toEqual(['a']);
    expect(answeredAfterMs).toBe(29_500);
  });

  it('waits for the store until a tenth of that second is left, then answers without it', async () => {
    const b = bench((clock) => ({ ...memoryStore({ clock }), settle: forever }));
    let answeredAfterMs: number | undefined;
    const startedAt = b.clock.now();
    const answer = b
      .processor(() => 'done')(messages('a'), b.lambda(30_000))
      .finally(() => {
        answeredAfterMs = b.clock.now() - startedAt;
      });
    await b.clock.advance(30_000);
    expect(failed(await answer)).toEqual(['a']);
    expect(answeredAfterMs).toBeCloseTo(29_900, 5);
  });
});

describe('deadlineMarginMs', () => {
  it.each([
    { remainingMs: 30_000, marginMs: 5_000, stopsAfterMs: 25_000, answersAfterMs: 27_500 },
    { remainingMs: 900_000, marginMs: 60_000, stopsAfterMs: 840_000, answersAfterMs: 870_000 },
    { remainingMs: 3_000, marginMs: 1_000, stopsAfterMs: 2_000, answersAfterMs: 2_500 },
    { remainingMs: 3_000, marginMs: 0, stopsAfterMs: 3_000, answersAfterMs: 3_000 },
    // Half of the time is the most it takes: a function with a timeout of a second has to start something.
    { remainingMs: 1_000, marginMs: 1_000, stopsAfterMs: 500, answersAfterMs: 750 },
    { remainingMs: 100, marginMs: 1_000, stopsAfterMs: 50, answersAfterMs: 75 },
    { remainingMs: 2, marginMs: 1_000, stopsAfterMs: 1, answersAfterMs: 1.5 },
  ])(
    'with $remainingMs ms left and a margin of $marginMs: stops after $stopsAfterMs, answers after $answersAfterMs',
    async ({ remainingMs, marginMs, stopsAfterMs, answersAfterMs }) => {
      const b = bench();
      const startedAt = b.clock.now();
      const times: Record<string, number> = {};
      const handler: RecordHandler = (_, { signal }) => {
        signal.addEventListener('abort', () => {
          times['stopped'] = b.clock.now() - startedAt;
        });
        return forever();
      };
      const process = b.processor(handler, { deadlineMarginMs: marginMs });
      const answer = process(messages('a'), b.lambda(remainingMs)).finally(() => {
        times['answered'] = b.clock.now() - startedAt;
      });
      await b.clock.advance(remainingMs);
      expect(failed(await answer)).toEqual(['a']);
      expect(times).toEqual({ stopped: stopsAfterMs, answered: answersAfterMs });
    },
  );
});

describe('What a handler knows of the time', () => {
  it('runs down', async () => {
    const b = bench();
    const gate = deferred();
    const seen: number[] = [];
    const answer = b.processor(async (_, { remainingTimeMs }) => {
      seen.push(remainingTimeMs());
      await gate.promise;
      seen.push(remainingTimeMs());
    })(messages('a'), b.lambda(10_000));
    await b.clock.advance(4_000);
    gate.resolve();
    await answer;
    expect(seen).toEqual([10_000, 6_000]);
  });

  it('has no end outside Lambda: nothing is stopped, and the lease is a minute', async () => {
    const b = bench();
    const gate = deferred();
    const seen: unknown[] = [];
    const answer = b.processor(async (_, { remainingTimeMs, lambda, leaseUntil, signal }) => {
      seen.push(remainingTimeMs(), lambda, leaseUntil - b.clock.now());
      await gate.promise;
      seen.push(signal.aborted);
    })(messages('a'));
    await b.clock.advance(59_999);
    gate.resolve();
    expect(failed(await answer)).toEqual([]);
    expect(seen).toEqual([Infinity, undefined, 60_000, false]);
  });

  it.each<[string, unknown]>([
    ['NaN', () => Number.NaN],
    ['Infinity', () => Infinity],
    ['nothing', () => undefined],
    ['a context that cannot say', undefined],
  ])('C5: takes a remaining time of %s for no answer: it runs, under a lease of a minute', async (_, say) => {
    const b = bench();
    const context = { ...lambdaContext(), getRemainingTimeInMillis: say } as Context;
    const seen: unknown[] = [];
    const process = b.processor((_record, { leaseUntil, remainingTimeMs, signal }) => {
      seen.push(leaseUntil - b.clock.now(), remainingTimeMs(), signal.aborted);
    });
    expect(failed(await process(messages('a'), context))).toEqual([]);
    expect(seen).toEqual([60_000, Infinity, false]);
  });
});

describe('An invocation without any time left', () => {
  // Normal on Lambda Managed Instances, where code is not stopped at the timeout.
  it.each([0, -5_000])('starts and claims nothing, and hands all back, with %d ms', async (remainingMs) => {
    const b = bench();
    const runs: string[] = [];
    const process = b.processor(({ id }) => void runs.push(id));
    const answer = process(messages('a', 'b'), b.lambda(remainingMs));
    expect(failed(await inTime(b.clock, answer))).toEqual(['a', 'b']);
    expect(runs).toEqual([]);
    expect(await b.claim('a')).toBeUndefined();
    expect(b.eventsOf('notStarted')).toMatchObject([{ reason: 'deadline' }, { reason: 'deadline' }]);
  });

  it('starts nothing of a batch handler, nor of what has to be decoded first', async () => {
    const b = bench();
    let decoded = 0;
    const decode: Decoder = (data) => {
      decoded += 1;
      return data;
    };
    const process = b.processor(() => 'done', { decode: decoder(decode) });
    expect(failed(await inTime(b.clock, process(messages('a'), b.lambda(0))))).toEqual(['a']);
    expect(decoded).toBe(0);
  });
});

/** The clock, and the timers of it that have neither fired nor been cancelled. */
function watchTimers(given: Clock): { clock: Clock; live: ReadonlySet<unknown> } {
  const live = new Set<unknown>();
  const clock: Clock = {
    now: () => given.now(),
    setTimer(callback, delayMs) {
      const timer = {};
      live.add(timer);
      const cancel = given.setTimer(() => {
        live.delete(timer);
        callback();
      }, delayMs);
      return () => {
        live.delete(timer);
        cancel();
      };
    },
  };
  return { clock, live };
}

describe('Timers', () => {
  it.each<[string, RecordHandler]>([
    ['succeed', () => 'done'],
    ['fail', () => Promise.reject(new Error('declined'))],
    ['hang', forever],
    ['are stopped', obedient],
    ['take their time once they are', reluctant],
  ])('do not outlive the invocation when its handlers %s', async (_, handler) => {
    const b = bench();
    const { clock, live } = watchTimers(b.clock);
    const options = { clock, recordTimeoutMs: 500, leaseMs: 700 };
    await inTime(b.clock, b.processor(handler, options)(messages('a', 'b'), b.lambda(30_000)));
    expect(live.size).toBe(0);
  });

  it('are not set any more by a handler that goes on without its batch and extends its lease', async () => {
    const b = bench();
    const { clock, live } = watchTimers(b.clock);
    const gate = deferred();
    const extended = deferred();
    const answer = b.processor(
      async (_, { extendLease }) => {
        await gate.promise;
        await extendLease(200);
        extended.resolve();
        await forever();
      },
      { clock, leaseMs: 2_600 },
    )(messages('a'), b.lambda(3_000));
    await b.clock.advance(2_500);
    await answer;
    const before = live.size;
    gate.resolve();
    await extended.promise;
    expect(live.size).toBe(before);
  });
});
