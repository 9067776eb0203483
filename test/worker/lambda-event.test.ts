import { expect, test } from '@jest/globals';
import { contextOf } from '../../src/worker/lambda-event.ts';

test('handlers that make a timer of the time that is left wait, though a worker that does not stop has no end', () => {
  const context = contextOf('orders', () => Infinity);
  const left = context.getRemainingTimeInMillis();
  expect(() => AbortSignal.timeout(left)).not.toThrow();
  expect(left).toBeGreaterThan(12 * 60 * 60_000); // SQS hides no message for longer
});

test('they learn how long they have when it stops', () => {
  expect(contextOf('orders', () => 25_000).getRemainingTimeInMillis()).toBe(25_000);
});
