import { describe, expect, test } from '@jest/globals';
import { AdaptiveLimit } from '../../src/worker/adaptive-limit.ts';

interface Server {
  /** What a call takes while so many run, in milliseconds. */
  readonly latencyMs: (running: number) => number;
  readonly isRefused?: (running: number) => boolean;
}

/** Numbers from 0 up to, not including, 1, the same in each run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Calls a simulated server with as many as may run and are there. Gives the limit after each call. */
function simulate(
  limit: AdaptiveLimit,
  { latencyMs, isRefused = () => false }: Server,
  { calls = 12_000, backlog = Infinity, spread = 1, seed = 1 } = {},
): number[] {
  const random = randomOf(seed);
  const running: { readonly endsAt: number; readonly end: () => void }[] = [];
  const limits: number[] = [];
  let now = 0;
  while (limits.length < calls) {
    while (running.length < Math.min(limit.limit, backlog)) {
      const call = limit.begin();
      const count = running.length + 1;
      const ms = latencyMs(count) * (1 - spread + spread * -Math.log(1 - random()));
      const isOverload = isRefused(count);
      const endsAt = now + ms;
      const after = running.findIndex((other) => other.endsAt > endsAt);
      running.splice(after === -1 ? running.length : after, 0, {
        endsAt,
        end: () => limit.end(call, { ms, isOverload, running: running.length + 1 }),
      });
    }
    const next = running.shift();
    now = next?.endsAt ?? now;
    next?.end();
    limits.push(limit.limit);
  }
  return limits;
}

function meanOfLast(limits: readonly number[], count: number): number {
  return limits.slice(-count).reduce((sum, one) => sum + one, 0) / count;
}

const setup = { floor: 1, ceiling: 1_000, tolerance: 1.5 };
/** Calls that exceed what the server does at once share it. */
const sharing =
  (capacity: number, ms = 50) =>
  (running: number): number =>
    ms * Math.max(1, running / capacity);

describe('a limit that adapts', () => {
  test.each([
    [20, 0],
    [20, 1],
    [80, 0],
    [80, 1],
  ])(
    'comes near to what a server of %i slots can do, and stays there (times differ: %i)',
    (slots, spread) => {
      const limits = simulate(
        new AdaptiveLimit(setup),
        { latencyMs: sharing(slots) },
        { calls: 20_000, spread },
      );
      const mean = meanOfLast(limits, 10_000);
      expect(mean).toBeGreaterThan(slots * 0.8);
      expect(mean).toBeLessThan(slots * 1.6);
    },
  );

  test('stays below what a server refuses', () => {
    const server: Server = { latencyMs: () => 50, isRefused: (running) => running > 40 };
    const limits = simulate(new AdaptiveLimit(setup), server);
    expect(meanOfLast(limits, 5_000)).toBeGreaterThan(34);
    expect(Math.max(...limits.slice(-5_000))).toBeLessThanOrEqual(41);
  });

  test('follows a server that becomes slower, and one that becomes faster', () => {
    const limit = new AdaptiveLimit(setup);
    simulate(limit, { latencyMs: sharing(80) }, { calls: 20_000 });
    const fewer = simulate(limit, { latencyMs: sharing(20) }, { calls: 20_000 });
    expect(meanOfLast(fewer, 10_000)).toBeLessThan(32);
    const more = simulate(limit, { latencyMs: sharing(80) }, { calls: 40_000 });
    expect(meanOfLast(more, 10_000)).toBeGreaterThan(64);
  });

  test('learns anew what a call takes when all calls take longer than before, however few run', () => {
    const limit = new AdaptiveLimit(setup);
    simulate(limit, { latencyMs: sharing(40, 50) }, { calls: 20_000 });
    const limits = simulate(limit, { latencyMs: sharing(40, 200) }, { calls: 30_000 });
    expect(meanOfLast(limits, 10_000)).toBeGreaterThan(32);
  });

  test('learns anew what a call takes when the first ones were slow', () => {
    const limit = new AdaptiveLimit(setup);
    simulate(limit, { latencyMs: () => 150 }, { calls: 200 });
    const limits = simulate(limit, { latencyMs: sharing(20, 50) }, { calls: 60_000, spread: 0 });
    expect(Math.max(...limits)).toBeGreaterThan(60);
    expect(meanOfLast(limits, 10_000)).toBeLessThan(40);
  });

  test('does not grow while fewer calls run than may', () => {
    const limits = simulate(new AdaptiveLimit(setup), { latencyMs: () => 50 }, { backlog: 5, spread: 0 });
    expect(limits.at(-1)).toBe(10);
  });

  test('keeps between its floor and its ceiling', () => {
    const bad: Server = { latencyMs: () => 50, isRefused: () => true };
    const good: Server = { latencyMs: () => 50 };
    const bounds = { ...setup, floor: 4, ceiling: 16 };
    expect(new Set(simulate(new AdaptiveLimit(bounds), bad, { calls: 2_000 }).slice(-500))).toEqual(
      new Set([4]),
    );
    expect(Math.max(...simulate(new AdaptiveLimit(bounds), good, { calls: 5_000 }))).toBe(16);
  });

  test('is lowered once by calls that are refused together', () => {
    const limit = new AdaptiveLimit({ ...setup, floor: 1, ceiling: 10 });
    const calls = Array.from({ length: 10 }, () => limit.begin());
    for (const call of calls) limit.end(call, { ms: 1, isOverload: true, running: 10 });
    expect(limit.limit).toBe(9);
  });
});
