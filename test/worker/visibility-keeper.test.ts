import { expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { Stop } from '../../src/base/stop.ts';
import type { HeldMessage } from '../../src/worker/held-message.ts';
import { VisibilityKeeper, type VisibilitySetup } from '../../src/worker/visibility-keeper.ts';

const HOUR_MS = 3_600_000;
/** How long a request takes to SQS, and an answer from it. */
const WAY_MS = 200;

function keeperWith(timeoutMs: number) {
  const clock = manualClock();
  const timers = new Set<object>();
  const counted: VisibilitySetup['clock'] = {
    now: () => clock.now(),
    setTimer(callback, delayMs) {
      const timer = {};
      const cancel = clock.setTimer(() => {
        timers.delete(timer);
        callback();
      }, delayMs);
      timers.add(timer);
      return () => {
        timers.delete(timer);
        cancel();
      };
    },
  };
  const startedAt = clock.now();
  const refusals: number[] = [];
  const lost: { readonly at: number; readonly message: string }[] = [];
  let visibleAt = startedAt - WAY_MS + timeoutMs;
  const signal = new Stop();
  const setup: VisibilitySetup = {
    queue: {
      async changeVisibility(changes) {
        if (signal.aborted) throw new Error('aborted');
        return changes.map(({ seconds }) => {
          const until = clock.now() + WAY_MS + seconds * 1_000;
          if (until <= startedAt - WAY_MS + 12 * HOUR_MS) {
            visibleAt = until;
            return undefined;
          }
          refusals.push(clock.now() - startedAt);
          return new Error('Total VisibilityTimeout for the message is beyond the limit [43200 seconds]');
        });
      },
    },
    clock: counted,
    signal,
    onLost: (_id, { message }) => lost.push({ at: clock.now() - startedAt, message }),
  };
  const keeper = new VisibilityKeeper(setup, timeoutMs, 40_000);
  const message = { messageId: 'm', receiptHandle: 'r', body: '', md5OfBody: '' };
  const held: HeldMessage = {
    message: { ...message, attributes: {}, messageAttributes: {} },
    receivedAt: startedAt,
    hiddenUntil: startedAt + timeoutMs,
  };
  keeper.keep([held]);
  return { clock, signal, timers, refusals, lost, hiddenForMs: () => visibleAt - startedAt };
}

test.each([60_000, HOUR_MS, 12 * HOUR_MS])(
  'a message is hidden until SQS allows no more, and no renewal asks for longer (%d ms)',
  async (timeoutMs) => {
    const { clock, refusals, lost, hiddenForMs } = keeperWith(timeoutMs);
    await clock.advance(13 * HOUR_MS);
    expect(refusals).toEqual([]);
    expect(hiddenForMs()).toBeGreaterThan(12 * HOUR_MS - 15_000);
    expect(lost.map(({ message }) => message)).toEqual([
      'SQS hides a message for 12 hours at most: the handler must end before, or split its work',
    ]);
  },
);

test('no timer is left when requests have ended with the worker, also for a handler that never ends', async () => {
  const { clock, signal, timers, lost } = keeperWith(HOUR_MS);
  await clock.advance(1_000);
  expect(timers.size).toBe(1);
  signal.abort();
  expect(timers.size).toBe(0);
  await clock.advance(2 * HOUR_MS);
  expect({ lost, timers: timers.size }).toEqual({ lost: [], timers: 0 });
});
