import { describe, expect, it } from '@jest/globals';
import {
  type BatchProcessorOptions,
  createBatchProcessor,
  heartbeat,
  PermanentError,
  type RecordHandler,
  type RetentionMs,
} from 'batchlatch';
import { route, type RouteHandlers, routes } from 'batchlatch/messages';
import { type Bench, bench, deferred, failed } from '../batch/bench.ts';
import { sqsEvent, type SqsMessage } from 'batchlatch/testing';
import { turn, until } from '../batch/on-each-store.ts';
import { orders, typed } from './orders.ts';

type Handlers = RouteHandlers<typeof orders.types>;

function processor(
  b: Bench,
  handlers: Partial<Handlers>,
  options: Omit<BatchProcessorOptions, 'schema'> = {},
): ReturnType<typeof createBatchProcessor> {
  const nothing = (): void => undefined;
  const all = routes(orders, {
    OrderPlaced: nothing,
    OrderCancelled: nothing,
    Pinged: nothing,
    ...handlers,
  });
  return b.processor(all as unknown as RecordHandler, { namespace: 'shop', ...options });
}

function pings(from: number, to: number): SqsMessage[] {
  return Array.from({ length: to - from }, (_, at) => ({
    messageId: `p${from + at}`,
    ...typed('Pinged', {}),
  }));
}

function cancellations(many: number): SqsMessage[] {
  return Array.from({ length: many }, (_, at) => ({
    messageId: `c${at}`,
    ...typed('OrderCancelled', { orderId: String(at) }),
  }));
}

describe('a route', () => {
  it('has a number of attempts of its own, and writes starts for its own records only', async () => {
    const b = bench();
    const started: string[] = [];
    const store = {
      ...b.store,
      start: (claims: Parameters<NonNullable<typeof b.store.start>>[0], options?: object) => {
        started.push(...claims.map(({ key }) => key.split(':')[1] ?? ''));
        return (b.store.start as NonNullable<typeof b.store.start>).call(b.store, claims, options);
      },
    };
    const fail = (): void => {
      throw new Error('down');
    };
    const handlers = { Pinged: route(fail, { maxAttempts: 1 }), OrderCancelled: fail };
    const run = processor(b, handlers, { store });
    expect(failed(await run(sqsEvent([...pings(0, 1), ...cancellations(1)])))).toEqual(['p0', 'c0']);
    expect((await b.store.inspect('shop#t1:Pinged:p0'))?.status).toBe('PARKED');
    expect(b.eventsOf('parked')).toHaveLength(1);
    expect(started).toEqual(['Pinged']);
  });

  it('decides itself which errors are retried, and how long keys are kept', async () => {
    const b = bench();
    const down = (): void => {
      throw new Error('down');
    };
    const retention = { completed: 5_000, failed: 6_000, parked: 7_000 };
    const run = processor(b, {
      Pinged: route(down, { retryable: () => false, retentionMs: retention }),
      OrderCancelled: down,
    });
    await run(sqsEvent([...pings(0, 1), ...cancellations(1)]));
    const row = await b.store.inspect('shop#t1:Pinged:p0');
    expect(row).toMatchObject({ status: 'PARKED', expiresAt: b.clock.now() + 7_000 });
    expect(b.eventsOf('parked')).toHaveLength(1);
  });

  it.each<[string, RetentionMs, number]>([
    ['failures', { failed: 6_000 }, 6_000],
    ['completions', { completed: 5_000 }, 2_000],
    ['completions and failures', 4_000, 4_000],
  ])('keeps keys as long as the processor, except those of %s with its own', async (_of, own, failedMs) => {
    const b = bench();
    const fails = (permanently: boolean) => (): void => {
      throw permanently ? new PermanentError('no') : new Error('down');
    };
    const retentionMs = { completed: 1_000, failed: 2_000, parked: 100 * 24 * 3_600_000 };
    const run = processor(
      b,
      {
        Pinged: route(fails(true), { retentionMs: own }),
        OrderCancelled: route(fails(false), { retentionMs: own }),
      },
      { retentionMs },
    );
    await run(sqsEvent([...pings(0, 1), ...cancellations(1)]));
    const keptMs = async (id: string): Promise<number> => {
      const key = b.eventsOf('claimed').find(({ recordId }) => recordId === id)?.key ?? '';
      return ((await b.store.inspect(key))?.expiresAt ?? 0) - b.clock.now();
    };
    expect([await keptMs('p0'), await keptMs('c0')]).toEqual([retentionMs.parked, failedMs]);
  });

  it('has a time limit of its own', async () => {
    const b = bench();
    const stopped = deferred<string>();
    const hangs =
      (type: string) =>
      (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
        new Promise<void>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped.resolve(type);
            reject(new Error('stopped'));
          });
        });
    const end = deferred();
    const run = processor(b, {
      Pinged: route(hangs('Pinged'), { recordTimeoutMs: 50 }),
      OrderCancelled: () => end.promise,
    });
    const running = run(sqsEvent([...pings(0, 1), ...cancellations(1)]));
    await b.told('started', 'p0');
    await b.clock.advance(50);
    expect(await stopped.promise).toBe('Pinged');
    end.resolve();
    expect(failed(await running)).toEqual(['p0']);
  });

  it('hands back what a permanent error ends, as without routes', async () => {
    const b = bench();
    const run = processor(b, {
      Pinged: () => {
        throw new PermanentError('no');
      },
    });
    expect(failed(await run(sqsEvent(pings(0, 1))))).toEqual(['p0']);
    expect(b.eventsOf('parked')).toHaveLength(1);
  });
});

describe('`concurrency` of a route', () => {
  it('holds in the process, and a full route holds up no other records, however many come before them', async () => {
    const b = bench();
    const gate = deferred();
    let running = 0;
    let most = 0;
    const done: string[] = [];
    const run = processor(b, {
      Pinged: route(
        async () => {
          running += 1;
          most = Math.max(most, running);
          await gate.promise;
          running -= 1;
        },
        { concurrency: 2 },
      ),
      OrderCancelled: (record) => void done.push(record.id),
    });
    const first = run(sqsEvent([...pings(0, 40), ...cancellations(30)]));
    const second = run(sqsEvent([...pings(40, 60)]));
    await until(() => done.length === 30);
    expect([running, most]).toEqual([2, 2]);
    gate.resolve();
    expect([...failed(await first), ...failed(await second)]).toEqual([]);
    expect(most).toBe(2);
    expect(b.eventsOf('succeeded')).toHaveLength(90);
  });

  it('claims few records of a full route ahead', async () => {
    const b = bench();
    const gate = deferred();
    const run = processor(b, { Pinged: route(() => gate.promise, { concurrency: 1 }) });
    const running = run(sqsEvent(pings(0, 30)));
    await b.told('started');
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(b.eventsOf('claimed')).toHaveLength(2);
    gate.resolve();
    expect(failed(await running)).toEqual([]);
  });

  it('hands back what waits when the time is over, and leaves its slots to others', async () => {
    const b = bench();
    const gate = deferred();
    const run = processor(b, { Pinged: route(() => gate.promise, { concurrency: 1 }) });
    const first = run(sqsEvent(pings(0, 3)), b.lambda(60_000));
    await b.told('started');
    const second = run(sqsEvent(pings(3, 5)), b.lambda(5_000));
    await b.told('claimed', 'p3');
    await b.clock.advance(5_000);
    expect(failed(await second)).toEqual(['p3', 'p4']);
    gate.resolve();
    expect(failed(await first)).toEqual([]);
    expect(failed(await run(sqsEvent(pings(3, 5)), b.lambda(60_000)))).toEqual([]);
  });

  it('frees the slot of what waits for a slot of its batch when the time is over', async () => {
    const b = bench();
    const pinged = deferred();
    const handlers = {
      Pinged: route(() => pinged.promise, { concurrency: 1 }),
      OrderCancelled: () => new Promise(() => undefined),
    };
    const run = processor(b, handlers, { concurrency: 1 });
    const first = run(sqsEvent(pings(0, 1)), b.lambda(60_000));
    await b.told('started', 'p0');
    const second = run(sqsEvent([...pings(1, 2), ...cancellations(1)]), b.lambda(5_000));
    await b.told('started', 'c0');
    pinged.resolve();
    expect(failed(await first)).toEqual([]);
    await b.clock.advance(5_000);
    expect(failed(await second)).toEqual(['p1', 'c0']);
    expect(failed(await run(sqsEvent(pings(2, 3)), b.lambda(60_000)))).toEqual([]);
  });

  it('passes on a slot that comes after the time is over, and hands a record back once', async () => {
    const b = bench();
    const pinged = deferred();
    const handlers = { Pinged: route(() => pinged.promise, { concurrency: 1 }) };
    const run = processor(b, handlers);
    const first = run(sqsEvent(pings(0, 1)), b.lambda(60_000));
    await b.told('started', 'p0');
    const second = run(sqsEvent(pings(1, 2)), b.lambda(5_000));
    await b.told('claimed', 'p1');
    await b.clock.advance(5_000);
    expect(failed(await second)).toEqual(['p1']);
    const before = b.typesOf('p1');
    pinged.resolve();
    expect(failed(await first)).toEqual([]);
    expect(failed(await run(sqsEvent(pings(2, 3)), b.lambda(60_000)))).toEqual([]);
    expect(b.typesOf('p1')).toEqual(before);
  });

  it('renews the leases of what waits where leases are short', async () => {
    const b = bench();
    const gate = deferred();
    const handlers = { Pinged: route(() => gate.promise, { concurrency: 1 }) };
    const run = processor(b, handlers, { leaseMs: 3_000, heartbeat: heartbeat() });
    const running = run(sqsEvent(pings(0, 2)));
    await b.told('started');
    for (let second = 0; second < 10; second += 1) await b.clock.advance(1_000);
    const row = await b.store.inspect('shop#t1:Pinged:p1');
    expect(row?.status).toBe('IN_PROGRESS');
    expect(row?.leaseUntil).toBeGreaterThan(b.clock.now());
    gate.resolve();
    expect(failed(await running)).toEqual([]);
  });

  it('renews in time the lease of what waited for a slot of its batch before', async () => {
    const b = bench();
    const [pinged, cancelled] = [deferred(), deferred()];
    const handlers = {
      Pinged: route(() => pinged.promise, { concurrency: 1 }),
      OrderCancelled: () => cancelled.promise,
    };
    const run = processor(b, handlers, { concurrency: 1, leaseMs: 3_000, heartbeat: heartbeat() });
    const first = run(sqsEvent(pings(0, 1)));
    await b.told('started', 'p0');
    const second = run(sqsEvent([...cancellations(1), ...pings(1, 2)]));
    await b.told('claimed', 'p1');
    await b.clock.advance(2_500);
    cancelled.resolve();
    await b.told('succeeded', 'c0');
    await turn();
    await b.clock.advance(600);
    expect((await b.store.inspect('shop#t1:Pinged:p1'))?.leaseUntil).toBeGreaterThan(b.clock.now());
    pinged.resolve();
    expect([...failed(await first), ...failed(await second)]).toEqual([]);
  });

  it('renews in time the lease of what waits after one whose lease is longer', async () => {
    const b = bench();
    const [pinged, cancelled] = [deferred(), deferred()];
    const handlers = {
      Pinged: route(() => pinged.promise, { concurrency: 1 }),
      OrderCancelled: () => cancelled.promise,
    };
    const run = processor(b, handlers, { concurrency: 2, leaseMs: 3_000, heartbeat: heartbeat() });
    const first = run(sqsEvent(pings(0, 1)));
    await b.told('started', 'p0');
    // p1 waits for its route from the beginning, and p2 behind the cancellation of its group.
    const groups = ['one', 'two', 'two'];
    const messages = [...pings(1, 2), ...cancellations(1), ...pings(2, 3)];
    const grouped = messages.map((message, index) => ({ ...message, messageGroupId: groups[index] ?? '' }));
    const second = run(sqsEvent(grouped, { fifo: true }));
    await b.told('claimed', 'p2');
    const leaseUntil = async () => (await b.store.inspect('shop#t1:Pinged:p2'))?.leaseUntil ?? 0;
    const before = await leaseUntil();
    await b.clock.advance(2_100);
    cancelled.resolve();
    await b.told('succeeded', 'c0');
    await turn();
    await b.clock.advance(800);
    expect(await leaseUntil()).toBeGreaterThan(before);
    pinged.resolve();
    expect([...failed(await first), ...failed(await second)]).toEqual([]);
  });
});

describe('batch handlers of routes', () => {
  const run = async (
    b: Bench,
    messages: readonly SqsMessage[],
    options: { readonly concurrency?: number; readonly pinged?: number } = {},
  ): Promise<{ calls: string[][]; failed: string[] }> => {
    const calls: string[][] = [];
    const noting =
      (type: string) =>
      (items: readonly { readonly record: { readonly id: string } }[]): void =>
        void calls.push([type, ...items.map(({ record }) => record.id)]);
    const { pinged, ...rest } = options;
    const handler = createBatchProcessor.forBatches(
      routes(orders, {
        OrderPlaced: noting('OrderPlaced'),
        OrderCancelled: noting('OrderCancelled'),
        Pinged: pinged === undefined ? noting('Pinged') : route(noting('Pinged'), { concurrency: pinged }),
      }),
      { store: b.store, clock: b.clock, namespace: 'shop', observer: { onEvent: () => undefined }, ...rest },
    );
    const response = await handler(sqsEvent(messages));
    return { calls, failed: failed(response) };
  };

  it('get records of one type in each call', async () => {
    const { calls, failed: none } = await run(bench(), [...pings(0, 2), ...cancellations(2), ...pings(2, 3)]);
    expect(none).toEqual([]);
    expect(calls.toSorted(([a = ''], [b = '']) => a.localeCompare(b))).toEqual([
      ['OrderCancelled', 'c0', 'c1'],
      ['Pinged', 'p0', 'p1', 'p2'],
    ]);
  });

  it('get at most as many in a call as `concurrency` says, of the processor or of the route', async () => {
    const messages = [...pings(0, 5), ...cancellations(5)];
    const { calls } = await run(bench(), messages, { concurrency: 3, pinged: 2 });
    expect(calls.flatMap(([, ...ids]) => ids)).toHaveLength(10);
    const longest = (type: string): number =>
      Math.max(...calls.filter(([one]) => one === type).map(({ length }) => length - 1));
    expect([longest('Pinged'), longest('OrderCancelled')]).toEqual([2, 3]);
  });
});
