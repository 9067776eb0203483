import { describe, expect, it } from '@jest/globals';
import type { ClaimStore, RecordContext, RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import type { ManualClock } from 'batchlatch/testing';
import {
  type Bench,
  bench,
  type Deferred,
  deferred,
  failed,
  forever,
  ids,
  messages,
} from '../batch/bench.ts';

/** A record that runs until the test ends it, and the context its handler got. */
async function running(
  b: Bench,
  leaseMs: number,
): Promise<{ context: RecordContext; end: Deferred<unknown>; answer: Promise<string[]> }> {
  const end = deferred<unknown>();
  const started = deferred<RecordContext>();
  const handler: RecordHandler = (_, context) => {
    started.resolve(context);
    return end.promise;
  };
  const answer = b.run(handler, ['a'], { leaseMs });
  return { context: await started.promise, end, answer };
}

describe('A lease', () => {
  it('lasts as long as the invocation can, and a second more', async () => {
    const b = bench();
    const leases: number[] = [];
    const process = b.processor((_, { leaseUntil }) => void leases.push(leaseUntil - b.clock.now()));
    await process(messages('a'), b.lambda(45_000));
    expect(leases).toEqual([46_000]);
  });

  it('lasts `leaseMs` where that is set', async () => {
    const b = bench();
    const leases: number[] = [];
    const process = b.processor((_, { leaseUntil }) => void leases.push(leaseUntil - b.clock.now()), {
      leaseMs: 5_000,
    });
    await process(messages('a'), b.lambda(45_000));
    expect(leases).toEqual([5_000]);
  });

  it('is written with who holds it, and with the token that fences it', async () => {
    const b = bench();
    await b.die('a');
    const lambda = b.lambda(3_000);
    let context: RecordContext | undefined;
    await b.processor((_, given) => {
      context = given;
      throw new Error('declined');
    })(messages('a'), lambda);
    const row = await b.claim('a');
    expect(row?.lockedBy).toBe(`test-function:$LATEST ${lambda.awsRequestId}`);
    expect(context).toMatchObject({ attempt: row?.attempt, idempotencyKey: row?.key, lambda });
  });
});

describe('A claim that waited for its slot', () => {
  const taking = (b: Bench, ms: number, leases: number[] = []): RecordHandler => {
    return (_, { leaseUntil }) => {
      leases.push(leaseUntil - b.clock.now());
      return new Promise((resolve) => {
        b.clock.setTimer(() => resolve('done'), ms);
      });
    };
  };

  it('is renewed before its handler starts when less than half of its lease is left', async () => {
    const b = counting();
    const leases: number[] = [];
    const answer = b.run(taking(b, 501, leases), ids(3), { leaseMs: 1_000, concurrency: 1 });
    await b.clock.advance(2_000);
    expect(await answer).toEqual([]);
    expect(leases).toEqual([1_000, 1_000, 1_000]);
    expect(b.extended).toEqual([b.key('r1'), b.key('r2')]);
  });

  it('is not renewed, and costs no request, when half of it is left', async () => {
    const b = counting();
    const leases: number[] = [];
    const answer = b.run(taking(b, 250, leases), ids(3), { leaseMs: 1_000, concurrency: 1 });
    await b.clock.advance(2_000);
    expect(await answer).toEqual([]);
    expect(leases).toEqual([1_000, 750, 500]);
    expect(b.extended).toEqual([]);
  });

  it('is not started when another attempt has taken it over meanwhile', async () => {
    const b = bench();
    const answer = b.run(taking(b, 1_500), ids(2), { leaseMs: 1_000, concurrency: 1 });
    await b.clock.advance(1_200);
    await b.occupy('r1');
    const other = await b.claim('r1');
    await b.clock.advance(5_000);
    expect(await answer).toEqual(['r1']);
    expect(b.typesOf('r1')).toEqual(['claimed', 'notStarted', 'settling']);
    expect(b.eventsOf('notStarted')).toMatchObject([{ reason: 'lease-lapsed' }]);
    expect(await b.claim('r1')).toEqual(other);
  });

  it('is renewed also when its lease has lapsed and nobody took it over', async () => {
    const b = bench();
    const answer = b.run(taking(b, 1_500), ids(2), { leaseMs: 1_000, concurrency: 1 });
    await b.clock.advance(5_000);
    expect(await answer).toEqual([]);
  });

  it('is not started when the store cannot renew it; the others are', async () => {
    const b = bench(withExtend(() => Promise.reject(new Error('throttled'))));
    const answer = b.run(taking(b, 600), ids(2), { leaseMs: 1_000, concurrency: 1 });
    await b.clock.advance(2_000);
    expect(await answer).toEqual(['r1']);
    expect(await b.claim('r1')).toMatchObject({ status: 'FAILED', releases: 1 });
  });

  it('is not renewed any more when it is time to stop', async () => {
    const b = counting();
    const process = b.processor(forever, { leaseMs: 1_000, concurrency: 1 });
    const answer = process(messages(...ids(2)), b.lambda(3_000));
    await b.clock.advance(2_600);
    expect(failed(await answer)).toEqual(ids(2));
    expect(b.extended).toEqual([]);
  });

  function counting(): Bench & { readonly extended: string[] } {
    const extended: string[] = [];
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        extend(extensions) {
          extended.push(...extensions.map(({ key }) => key));
          return store.extend(extensions);
        },
      };
    });
    return Object.assign(b, { extended });
  }
});

describe('extendLease', () => {
  it('makes the lease last from now, for the handler and for everybody else', async () => {
    const b = bench();
    const { context, end, answer } = await running(b, 1_000);
    await b.clock.advance(900);
    const { extendLease } = context;
    await extendLease(10_000);
    expect(context.leaseUntil).toBe(b.clock.now() + 10_000);

    await b.clock.advance(9_999);
    expect(await b.run(() => 'second', ['a'])).toEqual(['a']);
    expect(context.signal.aborted).toBe(false);
    end.resolve('first');
    expect(await answer).toEqual([]);
  });

  it('never makes the lease shorter', async () => {
    const b = bench();
    const { context, end, answer } = await running(b, 60_000);
    const { leaseUntil } = context;
    await context.extendLease(100);
    expect(context.leaseUntil).toBe(leaseUntil);
    await b.clock.advance(100);
    expect(context.signal.aborted).toBe(false);
    end.resolve('first');
    await answer;
  });

  it('rejects when another attempt has taken over, and leaves that alone', async () => {
    const b = bench();
    const { context, end, answer } = await running(b, 1_000);
    await b.clock.advance(1_000);
    await b.occupy('a');
    const other = await b.claim('a');
    await expect(context.extendLease(10_000)).rejects.toMatchObject({ code: 'BATCHLATCH_LEASE_LOST' });
    expect(await b.claim('a')).toEqual(other);
    end.resolve('first');
    expect(await answer).toEqual(['a']);
  });

  it("rejects with the store's error when it cannot be written; the old lease counts", async () => {
    const b = bench(withExtend(async () => [{ error: new Error('throttled') }]));
    const { context, end, answer } = await running(b, 1_000);
    await expect(context.extendLease(10_000)).rejects.toThrow('throttled');
    expect(context.leaseUntil).toBe(b.clock.now() + 1_000);
    end.resolve('done');
    expect(await answer).toEqual([]);
  });

  it('rejects when the store does not answer for it', async () => {
    const b = bench(withExtend(async () => []));
    const { context, end, answer } = await running(b, 1_000);
    await expect(context.extendLease(10_000)).rejects.toThrow('fewer outcomes');
    end.resolve('done');
    await answer;
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity, '1000', undefined])(
    'rejects a length of %p',
    async (leaseMs) => {
      const b = bench();
      const { context, end, answer } = await running(b, 1_000);
      await expect(context.extendLease(leaseMs as number)).rejects.toThrow(
        `Expected \`leaseMs\` to be an integer from 1 up, got \`${String(leaseMs)}\``,
      );
      expect((await b.claim('a'))?.leaseUntil).toBe(b.clock.now() + 1_000);
      end.resolve('done');
      await answer;
    },
  );
});

describe('When the lease is over while the handler runs', () => {
  it('its signal is aborted, with the reason, and it is still waited for', async () => {
    const b = bench();
    const { context, end, answer } = await running(b, 1_000);
    const { signal } = context;
    await b.clock.advance(999);
    expect(signal.aborted).toBe(false);
    await b.clock.advance(1);
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: 'BATCHLATCH_LEASE_LOST' });

    await b.clock.advance(60_000);
    context.done();
    end.resolve('late');
    expect(await answer).toEqual([]);
    expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', result: '"late"' });
  });

  it('and it throws, the record has failed because of that, and what it threw is the cause', async () => {
    const b = bench();
    const { end, answer } = await running(b, 1_000);
    await b.clock.advance(1_000);
    end.reject(new Error('rolled back'));
    expect(await answer).toEqual(['a']);
    expect(b.eventsOf('failed')).toMatchObject([
      { error: { code: 'BATCHLATCH_LEASE_LOST', cause: { message: 'rolled back' } } },
    ]);
  });

  it.each<[string, (end: Deferred<unknown>) => void, object]>([
    ['succeeds', (end) => end.resolve('late'), { lost: 1 }],
    ['fails', (end) => end.reject(new Error('late')), { failed: 1 }],
  ])('and taken over, its end changes nothing when it %s', async (_, finish, outcomes) => {
    const b = bench();
    const { end, answer } = await running(b, 1_000);
    await b.clock.advance(1_000);
    await b.occupy('a');
    const other = await b.claim('a');
    finish(end);
    expect(await answer).toEqual(['a']);
    expect(await b.claim('a')).toEqual(other);
    expect(b.typesOf('a').at(-1)).toBe('leaseLost');
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes }]);
  });

  it('the deadline still ends the wait', async () => {
    const b = bench();
    const answer = b.processor(forever, { leaseMs: 1_000 })(messages('a'), b.lambda(30_000));
    await b.clock.advance(29_500);
    expect(failed(await answer)).toEqual(['a']);
  });

  it('the deadline comes first where the lease outlives the invocation', async () => {
    const b = bench();
    const reasons: unknown[] = [];
    const handler: RecordHandler = (_, { signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      return forever();
    };
    const answer = b.processor(handler)(messages('a'), b.lambda(30_000));
    await b.clock.advance(30_000);
    await answer;
    await b.clock.advance(30_000);
    expect(reasons).toMatchObject([{ code: 'BATCHLATCH_DEADLINE' }]);
  });
});

function withExtend(extend: ClaimStore['extend']): (clock: ManualClock) => ClaimStore {
  return (clock) => ({ ...memoryStore({ clock }), extend });
}
