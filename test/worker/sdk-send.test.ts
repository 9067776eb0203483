import { expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { Stop } from '../../src/base/stop.ts';
import { sdkSend, type WorkerSqsClient } from '../../src/worker/sdk-send.ts';

function clientOf(call: WorkerSqsClient['receiveMessage']): WorkerSqsClient {
  const other = call as never;
  return {
    receiveMessage: call,
    deleteMessageBatch: other,
    changeMessageVisibilityBatch: other,
    getQueueAttributes: other,
  };
}

function benchOf() {
  const clock = manualClock();
  const signals: (AbortSignal | undefined)[] = [];
  const client = clientOf((_input, options) => {
    signals.push(options?.abortSignal);
    return new Promise(() => undefined);
  });
  const send = sdkSend(client, clock);
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
  const send = sdkSend(
    clientOf(() => Promise.resolve({ Messages: [] })),
    manualClock(),
  );
  expect(await send('ReceiveMessage', {}, new Stop())).toEqual({ Messages: [] });
});
