import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { Stop } from '../../src/base/stop.ts';
import type { ReceivedMessage } from '../../src/worker/sqs-queue.ts';
import { Permits } from '../../src/worker/permits.ts';
import { Receivers } from '../../src/worker/receivers.ts';

test('goes on receiving when all of its receives come back empty together', async () => {
  const clock = manualClock();
  const stop = new Stop();
  const asked: ((messages: ReceivedMessage[]) => void)[] = [];
  const permits = new Permits(100);
  const receivers = new Receivers({
    queue: { receive: () => new Promise((resolve) => asked.push(resolve)) },
    permits,
    clock,
    random: () => 0.5,
    receivers: 4,
    isFifo: false,
    waitSeconds: 20,
    visibilitySeconds: 30,
    stop,
    giveUp: new Stop(),
    enough: 1,
    isHungry: () => true,
    mayReceive: () => Infinity,
    onMessages: (messages) => permits.give(messages.length),
    onError: () => undefined,
  });
  const answerAll = async (messages: ReceivedMessage[]): Promise<void> => {
    for (const answer of asked.splice(0)) answer(messages);
    await setImmediate();
  };
  receivers.start();
  await setImmediate();
  await answerAll(full());
  await answerAll(full());
  expect(asked).toHaveLength(4);
  await answerAll([]);
  expect(asked).toHaveLength(1);
  await answerAll([]);
  expect(asked).toHaveLength(1);
  await answerAll(full());
  expect(asked).toHaveLength(2);
  stop.abort();
  await answerAll([]);
  await receivers.ended();
});

function full(): ReceivedMessage[] {
  return Array.from({ length: 10 }, (_, index) => ({
    messageId: String(index),
    receiptHandle: String(index),
    body: '',
    md5OfBody: '',
    attributes: {},
    messageAttributes: {},
  }));
}
