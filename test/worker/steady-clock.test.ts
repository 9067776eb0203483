import { expect, jest, test } from '@jest/globals';
import { steadyClock } from '../../src/worker/timers.ts';

test('goes on evenly when somebody sets the time of the machine', () => {
  const before = steadyClock.now();
  expect(Math.abs(before - Date.now())).toBeLessThan(60_000);
  const spy = jest.spyOn(Date, 'now').mockReturnValue(0);
  try {
    expect(steadyClock.now()).toBeGreaterThanOrEqual(before);
    expect(steadyClock.now() - before).toBeLessThan(10_000);
  } finally {
    spy.mockRestore();
  }
});
