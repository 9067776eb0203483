import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { withIdempotency } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { createSender, type QueueClient } from 'batchlatch/sender';
import { lambdaContext, manualClock, sqsEvent } from 'batchlatch/testing';
import { notes } from '../sender/messages.ts';

describe("Beside jest's fake timers", () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([{}, { maxAttempts: 2 }, { maxCrashes: 2 }, { onLapsedLease: 'park' as const }])(
    'a batch ends: %p',
    async (options) => {
      const handler = createBatchProcessor(() => undefined, {
        ...options,
        store: memoryStore(),
        observer: { onEvent: () => undefined },
      });
      expect(await handler(sqsEvent([{ body: 1 }, { body: 2 }]), lambdaContext())).toEqual({
        batchItemFailures: [],
      });
    },
  );

  it('a call of a function ends', async () => {
    const double = withIdempotency((n: number) => Promise.resolve(2 * n), {
      namespace: 'double',
      key: String,
      store: memoryStore(),
      maxAttempts: 2,
    });
    expect(await double(2)).toBe(4);
  });

  it('a manual clock advances', async () => {
    const clock = manualClock(0);
    const fired: number[] = [];
    clock.setTimer(() => fired.push(clock.now()), 5);
    await clock.advance(10);
    expect(fired).toEqual([5]);
  });

  it('a sender sends', async () => {
    const sent: string[] = [];
    const client: QueueClient = {
      sendMessageBatch: ({ Entries }) => {
        sent.push(...Entries.map(({ MessageBody }) => MessageBody));
        return Promise.resolve({ Successful: Entries.map(({ Id }) => ({ Id })) });
      },
    };
    const sender = createSender(notes, {
      queueUrl: 'https://sqs.us-east-1.amazonaws.com/1/notes',
      client,
    });
    await sender.send('NoteTaken', { text: 'alone' });
    expect(sent).toEqual(['{"text":"alone"}']);
  });
});
