import { describe, expect, it } from '@jest/globals';
import { type ClaimStore, type SettleOutcome, type Settlement, StoreError } from 'batchlatch';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import { memoryStore } from 'batchlatch/memory';
import { SettlementQueue, type Settlements } from '../../src/claims/settlement-queue.ts';

const LINGER_MS = 5;

describe('company', () => {
  it('is waited for while something else runs: what ends within the linger is one write', async () => {
    const { settle, writes, clock } = bench();
    const outcomes = [settle('a'), settle('b')];
    await clock.advance(LINGER_MS - 1);
    expect(writes).toEqual([]);
    outcomes.push(settle('c'));
    await clock.advance(1);
    expect(writes).toEqual([['a', 'b', 'c']]);
    expect(await Promise.all(outcomes)).toEqual(['stored', 'stored', 'stored']);
  });

  it('is never waited for longer than the linger of the first', async () => {
    const { settle, writes, clock } = bench();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      void settle(name);
      await clock.advance(1);
    }
    expect(writes).toEqual([['a', 'b', 'c', 'd', 'e']]);
    await clock.advance(LINGER_MS - 2);
    expect(writes).toEqual([
      ['a', 'b', 'c', 'd', 'e'],
      ['f', 'g'],
    ]);
  });

  it('is not waited for when a request is full', async () => {
    const { settle, writes, clock } = bench({ requestSize: 3 });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) void settle(name);
    expect(writes).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
    ]);
    await clock.advance(LINGER_MS);
    expect(writes[2]).toEqual(['g']);
  });

  it('is not waited for beyond 25 where the store does not say how much a request carries', () => {
    const { settle, writes } = bench();
    for (let index = 0; index < 60; index += 1) void settle(`${index}`);
    expect(writes.map((group) => group.length)).toEqual([25, 25]);
  });

  it('is not waited for when nothing else runs that could bring it', async () => {
    const { settle, writes, busy } = bench();
    busy.is = false;
    expect(await settle('a')).toBe('stored');
    expect(writes).toEqual([['a']]);
  });

  it('is not waited for any longer once what ran has ended without bringing any', async () => {
    const { settle, writes, busy, queue, clock } = bench();
    void settle('a');
    void settle('b');
    queue.flushIfIdle();
    expect(writes).toEqual([]); // something still runs
    busy.is = false;
    queue.flushIfIdle();
    expect(writes).toEqual([['a', 'b']]);
    queue.flushIfIdle();
    await clock.advance(LINGER_MS);
    expect(writes).toHaveLength(1);
  });

  it('comes while a write is in flight, and goes together in the next', async () => {
    const { settle, writes, clock, hold } = bench();
    const letGo = hold();
    const first = settle('a');
    await clock.advance(LINGER_MS);
    const others = [settle('b'), settle('c')];
    await clock.advance(LINGER_MS);
    expect(writes).toEqual([['a'], ['b', 'c']]);
    expect(await Promise.all(others)).toEqual(['stored', 'stored']); // not held up by the first
    letGo();
    expect(await first).toBe('stored');
  });

  it('is told of before it is written, group by group', async () => {
    const { settle, told, clock } = bench({ requestSize: 2 });
    for (const name of ['a', 'b', 'c']) void settle(name);
    await clock.advance(LINGER_MS);
    expect(told).toEqual(['told a,b', 'wrote a,b', 'told c', 'wrote c']);
  });
});

describe('outcomes', () => {
  it("are each settlement's own", async () => {
    const { settle, clock, answers } = bench();
    answers.push(['lost', 'stored', FATAL]);
    const outcomes = [settle('a'), settle('b'), settle('c')];
    await clock.advance(LINGER_MS);
    expect(await Promise.all(outcomes)).toEqual(['lost', 'stored', FATAL]);
  });
});

describe('retries of an effect that is done', () => {
  it('go on with full jitter of 2 s at most, the last a second before the lease is over', async () => {
    const { settle, clock, answers, times, random } = bench({ isBusy: false, stopsInMs: 60_000 });
    always(answers);
    random.is = 0.5;
    const outcome = settle('a', clock.now() + 10_500);
    await clock.advance(100_000);
    expect(await outcome).toEqual(PASSING);
    expect(times).toEqual([
      0, 50, 150, 350, 750, 1_550, 2_550, 3_550, 4_550, 5_550, 6_550, 7_550, 8_550, 9_500,
    ]);
  });

  it('end a second before the invocation stops, where that is sooner', async () => {
    const { settle, clock, answers, times } = bench({ isBusy: false, stopsInMs: 10_000 });
    always(answers);
    const outcome = settle('a', clock.now() + 60_000);
    await clock.advance(9_000);
    expect(await outcome).toEqual(PASSING);
    expect(times.at(-1)).toBe(9_000);
  });

  it('end earlier when a host is told to stop meanwhile', async () => {
    const { settle, clock, answers, times, stopsAt } = bench({ isBusy: false, stopsInMs: Infinity });
    always(answers);
    const outcome = settle('a', clock.now() + 60_000);
    await clock.advance(20_000);
    stopsAt.is = clock.now() + 5_000;
    await clock.advance(5_000);
    expect(await outcome).toEqual(PASSING);
    expect(times.at(-1)).toBeLessThanOrEqual(24_000);
    expect(times.at(-1)).toBeGreaterThan(22_000);
  });

  it('end as soon as the store takes it', async () => {
    const { settle, clock, answers, writes } = bench({ isBusy: false, stopsInMs: 60_000 });
    for (let write = 1; write <= 12; write += 1) answers.push([PASSING]);
    const outcome = settle('a', clock.now() + 60_000);
    await clock.advance(60_000);
    expect(await outcome).toBe('stored');
    expect(writes).toHaveLength(13);
  });

  it("end at a condition that does not hold: the claim is another owner's", async () => {
    const { settle, clock, answers, writes } = bench({ isBusy: false, stopsInMs: 60_000 });
    for (let write = 1; write <= 6; write += 1) answers.push([PASSING]);
    answers.push(['lost']);
    const outcome = settle('a', clock.now() + 60_000);
    await clock.advance(60_000);
    expect(await outcome).toBe('lost');
    expect(writes).toHaveLength(7);
  });

  it('do not keep what has no effect behind it: that ends after 4 writes', async () => {
    const { settle, clock, answers, writes } = bench({ stopsInMs: 60_000 });
    always(answers);
    const done = settle('done', clock.now() + 20_000);
    const failed = settle('failed');
    await clock.advance(5_000);
    expect(await failed).toEqual(PASSING);
    expect(writes.slice(0, 5)).toEqual([...Array.from({ length: 4 }, () => ['done', 'failed']), ['done']]);
    await clock.advance(20_000);
    expect(await done).toEqual(PASSING);
  });

  it('end when the answer has to leave', async () => {
    const { settle, clock, answers, writes, abort } = bench({ isBusy: false, stopsInMs: 60_000 });
    always(answers);
    const outcome = settle('a', clock.now() + 60_000);
    await clock.advance(30_000);
    const before = writes.length;
    abort();
    expect(await outcome).toEqual(PASSING);
    await clock.advance(60_000);
    expect(writes).toHaveLength(before);
  });

  it('are 4 writes in all where the lease is nearly over, or nobody says when the invocation stops', async () => {
    for (const [stopsInMs, leaseMs] of [
      [60_000, 500],
      [undefined, 60_000],
    ] as const) {
      const { settle, clock, answers, writes } = bench({ isBusy: false, ...(stopsInMs && { stopsInMs }) });
      always(answers);
      const outcome = settle('a', clock.now() + leaseMs);
      await clock.advance(5_000);
      expect(await outcome).toEqual(PASSING);
      expect(writes).toHaveLength(4);
    }
  });

  it('are told of once, for all of them, until the store has taken one', async () => {
    const { settle, clock, answers, told } = bench({ isBusy: false, stopsInMs: 60_000 });
    const unreachable = (): number => told.filter((line) => line === 'slow down').length;
    always(answers, 60);
    void settle('a', clock.now() + 60_000);
    void settle('b', clock.now() + 60_000);
    await clock.advance(20_000);
    expect(unreachable()).toBe(1);
    answers.length = 0;
    await clock.advance(5_000);
    always(answers, 60);
    void settle('c', clock.now() + 30_000);
    await clock.advance(20_000);
    expect(unreachable()).toBe(2);
  });

  function always(answers: Bench['answers'], times = 1_000): void {
    for (let write = 0; write < times; write += 1) answers.push([PASSING, PASSING]);
  }
});

describe('retries', () => {
  it('write again what may be written later, and only that', async () => {
    const { settle, clock, answers, writes } = bench();
    answers.push(['stored', PASSING, 'lost', FATAL], ['stored']);
    const outcomes = ['a', 'b', 'c', 'd'].map((name) => settle(name));
    await clock.advance(10_000);
    expect(await Promise.all(outcomes)).toEqual(['stored', 'stored', 'lost', FATAL]);
    expect(writes).toEqual([['a', 'b', 'c', 'd'], ['b']]);
  });

  it('end after 4 writes, with growing waits of full jitter in between', async () => {
    const { settle, clock, answers, writes, random } = bench({ isBusy: false });
    answers.push([PASSING], [PASSING], [PASSING], [PASSING], ['stored']);
    random.is = 0.5;
    const outcome = settle('a');
    for (const [waitMs, written] of [
      [50, 1],
      [100, 2],
      [200, 3],
    ] as const) {
      await clock.advance(waitMs - 1);
      expect(writes).toHaveLength(written);
      await clock.advance(1);
      expect(writes).toHaveLength(written + 1);
    }
    await clock.advance(100_000);
    expect(await outcome).toEqual(PASSING);
    expect(writes).toHaveLength(4);
  });

  it.each<[string, () => never]>([
    ['rejects', () => reject(new Error('reset'))],
    ['throws what is no error', () => reject('reset')],
  ])('follow a call that %s as a whole, for all of its settlements', async (_what, trouble) => {
    const { settle, clock, answers, writes } = bench();
    answers.push(trouble, trouble);
    const outcomes = [settle('a'), settle('b')];
    await clock.advance(10_000);
    expect(await Promise.all(outcomes)).toEqual(['stored', 'stored']);
    expect(writes).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('end with the error when the trouble lasts, and never with a rejection', async () => {
    const { settle, clock, answers } = bench();
    const error = new Error('reset');
    for (let write = 1; write <= 4; write += 1) answers.push(() => reject(error));
    const outcome = settle('a');
    await clock.advance(10_000);
    expect(await outcome).toEqual({ error });
  });

  it('do not follow an error of another copy of this package that says it is of no use', async () => {
    const { settle, clock, answers, writes } = bench();
    const error = Object.assign(new Error('no such table'), { code: 'BATCHLATCH_STORE', isRetryable: false });
    answers.push([{ error }]);
    const outcome = settle('a');
    await clock.advance(10_000);
    expect(await outcome).toEqual({ error });
    expect(writes).toHaveLength(1);
  });

  it('end when the answer has to leave: nothing is written any more', async () => {
    const { settle, clock, answers, writes, abort } = bench();
    answers.push([PASSING]);
    const outcome = settle('a');
    await clock.advance(LINGER_MS); // written, and about to be tried again
    abort();
    expect(await outcome).toEqual(PASSING);
    await clock.advance(10_000);
    expect(writes).toHaveLength(1);
  });

  it('do not begin when the answer has left', async () => {
    const { settle, clock, answers, writes, abort } = bench();
    answers.push([PASSING]);
    abort();
    const outcome = settle('a');
    await clock.advance(10_000);
    expect(await outcome).toEqual(PASSING);
    expect(writes).toHaveLength(1);
  });

  function reject(reason: unknown): never {
    throw reason;
  }
});

const PASSING: SettleOutcome = { error: new StoreError('slow down', { isRetryable: true }) };
const FATAL: SettleOutcome = { error: new StoreError('no such table', { isRetryable: false }) };

interface Bench {
  readonly clock: ManualClock;
  readonly queue: Settlements<string>;
  /** Whether something runs that may bring company. */
  readonly busy: { is: boolean };
  readonly random: { is: number };
  /** The names in each write. */
  readonly writes: string[][];
  readonly told: string[];
  /** What the next writes answer; afterwards everything is stored. */
  readonly answers: (SettleOutcome[] | (() => never))[];
  /** When they were written, in milliseconds from the start. */
  readonly times: number[];
  readonly stopsAt: { is: number };
  /** `leaseUntil`: of an attempt whose effect is done. */
  settle(name: string, leaseUntil?: number): Promise<SettleOutcome>;
  /** Holds up the next write until the returned function is called. */
  hold(): () => void;
  abort(): void;
}

function bench(options: { requestSize?: number; isBusy?: boolean; stopsInMs?: number } = {}): Bench {
  const clock = manualClock();
  const startedAt = clock.now();
  const stopsAt = { is: startedAt + (options.stopsInMs ?? 0) };
  const times: number[] = [];
  const controller = new AbortController();
  const busy = { is: options.isBusy ?? true };
  const random = { is: 0.9 };
  const writes: string[][] = [];
  const told: string[] = [];
  const answers: Bench['answers'] = [];
  const leases = new Map<string, number>();
  let holding: Promise<void> | undefined;
  const store: ClaimStore = {
    ...memoryStore({ clock }),
    ...(options.requestSize !== undefined && { requestSize: options.requestSize }),
    async settle(settlements) {
      const names = settlements.map(({ key }) => key);
      writes.push(names);
      times.push(clock.now() - startedAt);
      told.push(`wrote ${names.join()}`);
      const held = holding;
      holding = undefined;
      await held;
      const answer = answers.shift() ?? settlements.map(() => 'stored' as const);
      return typeof answer === 'function' ? answer() : answer;
    },
  };
  const queue = new SettlementQueue<string>({
    store,
    clock,
    random: () => random.is,
    lingerMs: LINGER_MS,
    triedUntil: (name) => leases.get(name) ?? 0,
  }).join({
    isBusy: () => busy.is,
    onWrite: (names) => told.push(`told ${names.join()}`),
    signal: controller.signal,
    ...(options.stopsInMs !== undefined && { stopsAt: () => stopsAt.is }),
    onUnreachable: ({ message }) => told.push(message),
    onError: (thrown) => {
      throw thrown;
    },
  });
  return {
    clock,
    queue,
    busy,
    random,
    writes,
    times,
    stopsAt,
    told,
    answers,
    settle(name, leaseUntil) {
      if (leaseUntil !== undefined) leases.set(name, leaseUntil);
      return new Promise((resolve) =>
        queue.settle(completion(name), name, (_name, outcome) => resolve(outcome)),
      );
    },
    hold() {
      let letGo: () => void = () => undefined;
      holding = new Promise((resolve) => {
        letGo = resolve;
      });
      return letGo;
    },
    abort: () => controller.abort(),
  };
}

function completion(key: string): Settlement {
  return { end: 'complete', key, owner: 'me', retentionMs: 60_000 };
}
