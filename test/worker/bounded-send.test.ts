import { expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { Stop, type StopSignal } from '../../src/base/stop.ts';
import { boundedSend } from '../../src/worker/sdk-send.ts';

function benchOf() {
  const clock = manualClock();
  const signals: StopSignal[] = [];
  const send = boundedSend((_operation, _input, signal) => {
    signals.push(signal);
    return new Promise(() => undefined);
  }, clock);
  return { clock, send, signals };
}

test('a receive that is never answered ends after the longest poll and ten seconds', async () => {
  const { clock, send, signals } = benchOf();
  const received = send('ReceiveMessage', {}, new Stop());
  received.catch(() => undefined);
  await clock.advance(29_999);
  expect(signals[0]?.aborted).toBe(false);
  await clock.advance(1);
  expect(signals[0]?.aborted).toBe(true);
  await expect(received).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('other requests end after ten seconds, and all of them when the worker stops', async () => {
  const { clock, send } = benchOf();
  const deleted = send('DeleteMessageBatch', {}, new Stop());
  deleted.catch(() => undefined);
  await clock.advance(10_000);
  await expect(deleted).rejects.toMatchObject({ name: 'TimeoutError' });
  const stop = new Stop();
  const received = send('ReceiveMessage', {}, stop);
  stop.abort();
  await expect(received).rejects.toMatchObject({ name: 'AbortError' });
});

test('an answer in time is the answer', async () => {
  const send = boundedSend(() => Promise.resolve({ Messages: [] }), manualClock());
  expect(await send('ReceiveMessage', {}, new Stop())).toEqual({ Messages: [] });
});
