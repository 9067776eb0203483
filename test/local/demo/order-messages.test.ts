import { describe, expect, it } from '@jest/globals';
import {
  FEWEST_MESSAGES,
  makeOrderMessages,
  type OrderMessage,
} from '../../../lab/local/demo/order-messages.ts';

const ofKind = (messages: readonly OrderMessage[], peculiarity: string) =>
  messages.filter((message) => message.peculiarity === peculiarity);

describe("the demo's messages", () => {
  it('are the same for the same seed, and others for another', () => {
    expect(makeOrderMessages(100, 7)).toEqual(makeOrderMessages(100, 7));
    expect(makeOrderMessages(100, 8)).not.toEqual(makeOrderMessages(100, 7));
  });

  it.each([FEWEST_MESSAGES, 21, 500, 5_000])('are as many as asked for, of every kind: %i', (count) => {
    const messages = makeOrderMessages(count, 1);
    expect(messages).toHaveLength(count);
    for (const kind of ['not-json', 'no-order-id', 'bad-amount', 'sent-again']) {
      expect(ofKind(messages, kind).length).toBeGreaterThan(0);
    }
    for (const kind of ['always-declined', 'declined-twice', 'kills-its-process']) {
      expect(ofKind(messages, kind)).toHaveLength(1);
    }
  });

  it('bring an order twice only where they say so', () => {
    const messages = makeOrderMessages(500, 1);
    const bodies = messages.map(({ body }) => body);
    expect(new Set(bodies).size).toBe(500 - ofKind(messages, 'sent-again').length);
    for (const { body, orderId } of ofKind(messages, 'sent-again')) {
      const original = ofKind(messages, 'none').find((message) => message.orderId === orderId);
      expect(original?.body).toBe(body);
    }
  });
});
