import { expect, test } from '@jest/globals';
import { WaitingLanes } from '../../src/worker/waiting-lanes.ts';
import type { MessageAttribute } from '../../src/worker/sqs-queue.ts';

const MEBIBYTE = 'x'.repeat(1_024 * 1_024);

test.each([
  ['in bodies', MEBIBYTE, {}],
  ['in attributes', '', { trace: { dataType: 'String', stringValue: MEBIBYTE } }],
  ['in binary attributes', '', { image: { dataType: 'Binary', binaryValue: MEBIBYTE } }],
])('messages that are set aside hold no more than 64 MiB %s', (_, body, messageAttributes) => {
  const aside = new WaitingLanes(1_000);
  let count = 0;
  for (; count < 100; count += 1) {
    const batch = batchOf(String(count), body, messageAttributes);
    if (!aside.hasRoomFor(batch)) break;
    aside.add('group:noisy', batch);
  }
  expect(count).toBeGreaterThan(60);
  expect(count).toBeLessThanOrEqual(64);
  aside.takeAll();
  expect(aside.hasRoomFor(batchOf('later', body, messageAttributes))).toBe(true);
});

function batchOf(messageId: string, body: string, messageAttributes: Record<string, MessageAttribute>) {
  const message = { messageId, receiptHandle: '', body, md5OfBody: '', attributes: {}, messageAttributes };
  return { held: [{ message, receivedAt: 0, hiddenUntil: 0 }], group: 'noisy' };
}
