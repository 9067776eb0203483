import { keyMaker } from '../../../src/keys/key-string.ts';
import { messageId } from '../../../src/keys/key-selector.ts';
import { payloadHash } from '../../../src/keys/payload-hash.ts';
import type { SqsBatchRecord } from '../../../src/index.ts';

/** The idempotency key of a message by its number. */
export type KeyOf = (message: number) => string;

export const KEYS = ['message-id', 'payload-hash'] as const;
export type KeyName = (typeof KEYS)[number];

/** The keys that a processor makes, by this repository's code. */
export function keysOf(name: KeyName): KeyOf {
  const select = name === 'message-id' ? messageId() : payloadHash({ include: ['orderId'] });
  const key = keyMaker(select, 'orders');
  return (message) => key(recordOf(message));
}

function recordOf(message: number): SqsBatchRecord {
  const orderId = `order-${message}`;
  return {
    source: 'sqs',
    id: uuidOf(message),
    body: { orderId },
    rawBody: `{"orderId":"${orderId}"}`,
    attributes: {},
    receiveCount: 1,
    sentAt: undefined,
    messageGroupId: undefined,
    envelope: undefined,
    raw: undefined as never, // what keys are made of does not look at it
  };
}

/** The same number gives the same id; two numbers never give one. */
function uuidOf(message: number): string {
  const mixed = Math.imul(message, 0x9e_37_79_b1) >>> 0;
  return `${hex(mixed)}-0000-4000-8000-0000${hex(message)}`;
}

function hex(number: number): string {
  return number.toString(16).padStart(8, '0');
}
