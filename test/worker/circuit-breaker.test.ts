import { describe, expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { CircuitBreaker, type CircuitBreakerSetup } from '../../src/worker/circuit-breaker.ts';

const NONE: ReadonlySet<string> = new Set();
const well = { down: NONE, isUp: () => true };
const unknown = { down: NONE, isUp: () => false };
const down = (...names: string[]) => ({ down: new Set(names), isUp: () => false });

function breakerWith(setup: Partial<CircuitBreakerSetup> = {}) {
  const clock = manualClock();
  const changes: string[] = [];
  const breaker = new CircuitBreaker({
    clock,
    random: () => 0.999_999,
    check: () => Promise.resolve([]),
    onChange: (name, isDown) => changes.push(`${name} ${isDown ? 'down' : 'up'}`),
    onMayStart: () => undefined,
    ...setup,
  });
  const fail = (times: number, ...names: string[]): void => {
    for (let count = 0; count < times; count += 1) breaker.begin().end(down(...names));
  };
  return { breaker, clock, changes, fail };
}

describe('a circuit breaker', () => {
  test('opens after five failures of the same dependency in a row, and names it', () => {
    const { breaker, changes, fail } = breakerWith();
    fail(4, 'payments');
    fail(4, 'stock');
    breaker.begin().end(well);
    fail(4, 'payments');
    expect(breaker.mayStart()).toBe(true);
    fail(1, 'payments');
    expect({ down: breaker.down, may: breaker.mayStart() }).toEqual({ down: ['payments'], may: false });
    expect(changes).toEqual(['payments down']);
  });

  test('takes a call that shows nothing for neither', () => {
    const { breaker, fail } = breakerWith();
    fail(4, 'payments');
    breaker.begin().end(unknown);
    fail(1, 'payments');
    expect(breaker.down).toEqual(['payments']);
  });

  test('lets one call start after its pause, and all when that is well', async () => {
    const { breaker, clock, changes, fail } = breakerWith();
    fail(5, 'payments');
    let isOver = false;
    void Promise.resolve(breaker.mayReceive()).then(() => (isOver = true));
    await clock.advance(990);
    expect(isOver).toBe(false);
    await clock.advance(10);
    expect({ isOver, most: breaker.mayReceive(), may: breaker.mayStart() }).toEqual({
      isOver: true,
      most: 1,
      may: true,
    });
    const call = breaker.begin();
    expect(breaker.mayStart()).toBe(false);
    expect(breaker.mayReceive()).toBeInstanceOf(Promise);
    call.end(well);
    expect({ most: breaker.mayReceive(), may: breaker.mayStart() }).toEqual({ most: Infinity, may: true });
    expect(changes).toEqual(['payments down', 'payments up']);
  });

  test('pauses twice as long each time, up to 30 seconds, and begins anew when it has closed', async () => {
    const { breaker, clock, fail } = breakerWith();
    const pauses: number[] = [];
    fail(5, 'payments');
    for (let index = 0; index < 8; index += 1) {
      const since = clock.now();
      while (!breaker.mayStart()) await clock.advance(100);
      pauses.push(Math.round((clock.now() - since) / 1_000));
      if (index === 6) {
        breaker.begin().end(well);
        fail(5, 'payments');
      } else {
        fail(1, 'payments');
      }
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 1]);
  });

  test('has full jitter, and a pause of some length all the same', async () => {
    const { breaker, clock, fail } = breakerWith({ random: () => 0 });
    fail(5, 'payments');
    await clock.advance(99);
    expect(breaker.mayStart()).toBe(false);
    await clock.advance(1);
    expect(breaker.mayStart()).toBe(true);
  });

  test('takes no notice of calls that began before it opened: neither of good ones nor of bad ones', async () => {
    const { breaker, clock, fail } = breakerWith();
    const [good, ...bad] = Array.from({ length: 10 }, () => breaker.begin());
    fail(5, 'payments');
    good?.end(well);
    expect(breaker.mayStart()).toBe(false);
    await clock.advance(1_000);
    const probe = breaker.begin();
    bad[0]?.end(down('payments'));
    probe.end(well);
    for (const call of bad) call.end(down('payments'));
    expect(breaker.mayStart()).toBe(true);
  });

  test('tries the next call when one shows nothing, and when one does not end', async () => {
    let starts = 0;
    const { breaker, clock, fail } = breakerWith({ onMayStart: () => (starts += 1) });
    fail(5, 'payments');
    await clock.advance(1_000);
    breaker.begin().end(unknown);
    expect({ starts, may: breaker.mayStart(), down: breaker.down }).toEqual({
      starts: 2,
      may: true,
      down: ['payments'],
    });
    breaker.begin();
    await clock.advance(30_000);
    expect({ starts, may: breaker.mayStart() }).toEqual({ starts: 3, may: true });
  });

  test('closes for each dependency by itself', async () => {
    const { breaker, clock, changes, fail } = breakerWith();
    fail(5, 'payments', 'stock');
    await clock.advance(1_000);
    breaker.begin().end({ down: NONE, isUp: (name) => name === 'stock' });
    expect(breaker.down).toEqual(['payments']);
    breaker.begin().end(well);
    expect(changes).toEqual(['payments down', 'stock down', 'stock up', 'payments up']);
  });

  test('starts nothing while a check says that it is still down', async () => {
    let isUp = false;
    const { breaker, clock, fail } = breakerWith({ check: (names) => Promise.resolve(isUp ? [] : names) });
    fail(5, 'payments');
    await clock.advance(60_000);
    expect(breaker.mayStart()).toBe(false);
    isUp = true;
    await clock.advance(30_000);
    expect(breaker.mayStart()).toBe(true);
  });

  test('holds nothing back once it is stopped, and leaves no timer', async () => {
    const { breaker, clock, fail } = breakerWith();
    fail(5, 'payments');
    const held = Promise.resolve(breaker.mayReceive());
    breaker.stop();
    await held;
    expect(breaker.mayReceive()).toBe(Infinity);
    await clock.advance(60_000);
    expect(breaker.down).toEqual(['payments']);
  });
});
