import { describe, expect, it, jest } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { systemClock, wait } from '../../src/base/clock.ts';

describe('wait', () => {
  it('ends after its time, not before', async () => {
    const clock = manualClock();
    const ended = jest.fn();
    void wait(clock, 100).then(ended);
    await clock.advance(99);
    expect(ended).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('ends as soon as its signal is aborted, and takes its timer along', async () => {
    const cancel = jest.fn();
    const { signal, abort } = abortable();
    const waiting = wait({ now: () => 0, setTimer: () => cancel }, 100, signal);
    abort();
    await waiting;
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  it('sets no timer when its signal is aborted already', async () => {
    const setTimer = jest.fn(() => () => undefined);
    await wait({ now: () => 0, setTimer }, 100, AbortSignal.abort());
    expect(setTimer).not.toHaveBeenCalled();
  });

  it('leaves no listener behind', async () => {
    const clock = manualClock();
    const { signal } = abortable();
    const removed = jest.spyOn(signal, 'removeEventListener');
    const waiting = wait(clock, 100, signal);
    await clock.advance(100);
    await waiting;
    expect(removed).toHaveBeenCalledTimes(1);
  });

  function abortable(): { signal: AbortSignal; abort(): void } {
    const controller = new AbortController();
    return { signal: controller.signal, abort: () => controller.abort() };
  }
});

describe('systemClock', () => {
  it('tells the time of the machine', () => {
    const before = Date.now();
    const now = systemClock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it('calls back once, also for a time that is over', async () => {
    await new Promise<void>((resolve) => systemClock.setTimer(resolve, -5));
  });

  it.each([2 ** 31, Number.MAX_SAFE_INTEGER, Infinity])(
    'does not fire at once for a delay of %d ms, which setTimeout cannot hold',
    (delayMs) => {
      jest.useFakeTimers();
      try {
        const callback = jest.fn();
        systemClock.setTimer(callback, delayMs);
        jest.advanceTimersByTime(60_000);
        expect(callback).not.toHaveBeenCalled();
      } finally {
        jest.useRealTimers();
      }
    },
  );

  it('does not call back when it is cancelled', () => {
    jest.useFakeTimers();
    try {
      const callback = jest.fn();
      systemClock.setTimer(callback, 10)();
      jest.advanceTimersByTime(100);
      expect(callback).not.toHaveBeenCalled();
    } finally {
      jest.useRealTimers();
    }
  });
});
