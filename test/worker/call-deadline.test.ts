import { expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { CallDeadline } from '../../src/worker/call-deadline.ts';

test('all calls are told to stop, those that begin meanwhile too, and then to answer', async () => {
  const clock = manualClock();
  const deadline = new CallDeadline(clock);
  const early = deadline.ofCall();
  expect(early.remainingTimeMs()).toBe(Infinity);
  deadline.end(10_000, 2_000);
  expect(early.remainingTimeMs()).toBe(10_000);
  await clock.advance(5_500);
  const late = deadline.ofCall();
  expect([early, late].map(({ stop, answerNow }) => [stop.aborted, answerNow.aborted])).toEqual([
    [true, false],
    [true, false],
  ]);
  await clock.advance(4_500);
  expect([early, late, deadline.ofCall()].every(({ answerNow }) => answerNow.aborted)).toBe(true);
});

test('a call that has ended hears nothing any more, so that nothing of it is kept', () => {
  const deadline = new CallDeadline(manualClock());
  const ended = deadline.ofCall();
  ended.cancel();
  deadline.endNow();
  expect([ended.stop.aborted, ended.answerNow.aborted]).toEqual([false, false]);
});
