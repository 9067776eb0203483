import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { messageId, payloadHash } from 'batchlatch';
import { type DeadLetterSqs, type PeekOptions, peekDeadLetters, processorKey } from 'batchlatch/operations';
import { manualClock } from 'batchlatch/testing';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { createQueue } from '../../lab/real/support/create-queue.ts';
import { until } from '../support/until.ts';
import { type FailedOrders, failedOrders, NAMESPACE, withCalls } from './failed-orders.ts';

let emulator: LocalService;
let orders: FailedOrders;
beforeAll(async () => {
  emulator = await startSqsEmulator();
  orders = await failedOrders({ endpoint: emulator.endpoint });
  await orders.send({ orderId: 'a', attributes: { IdempotencyKey: 'forged', RecordId: 'forged' } });
  await orders.send(...Array.from({ length: 24 }, (_, index) => ({ orderId: `order ${index}` })));
  await orders.deliver();
});
afterAll(async () => {
  orders.stop();
  await emulator.stop();
});

function peek(options: Partial<PeekOptions> = {}, sqs: DeadLetterSqs = orders.hasty) {
  return peekDeadLetters(sqs, { queueUrl: orders.deadLetterUrl, admin: orders.store, ...options });
}

const hiddenAndShown = async (): Promise<unknown[]> => {
  const { Attributes = {} } = await orders.sqs.getQueueAttributes({
    QueueUrl: orders.deadLetterUrl,
    AttributeNames: ['All'],
  });
  return [Attributes.ApproximateNumberOfMessagesNotVisible, Attributes.ApproximateNumberOfMessages];
};

describe('peekDeadLetters', () => {
  it('shows every message once, beside its claim and its error, and all are visible again after it', async () => {
    const { messages, ...peeked } = await peek({ limit: 100 });
    expect(peeked).toMatchObject({ isWhole: true, total: 25, stillHidden: 0, parkedRead: { rowsRead: 25 } });
    expect(new Set(messages.map(({ messageId: id }) => id)).size).toBe(25);
    expect(messages.find(({ body }) => body === '{"orderId":"order 3"}')).toMatchObject({
      error: { name: 'PermanentError', message: 'no such customer' },
      key: orders.key('order 3'),
      claims: [{ status: 'PARKED', attempt: 1 }],
      sentAt: expect.any(Number),
      sentBy: 'unknown', // fauxqs does not say
    });
    expect(await hiddenAndShown()).toEqual(['0', '25']);
  });

  it('shows no more than the limit', async () => {
    const { messages, isWhole, total } = await peek({ limit: 13 });
    expect([messages.length, isWhole, total]).toEqual([13, false, 25]);
    expect(await hiddenAndShown()).toEqual(['0', '25']);
  });

  it('shows messages without claims where there is no store', async () => {
    const { messages } = await peekDeadLetters(orders.hasty, { queueUrl: orders.deadLetterUrl });
    expect(messages).toHaveLength(10);
    expect(messages[0]).toMatchObject({ claims: [], attributes: expect.any(Object) });
  });

  it("takes a sender's attributes for nothing else", async () => {
    const { messages } = await peek({ limit: 100 });
    const forged = messages.find(({ attributes }) => attributes['RecordId'] === 'forged');
    expect(forged).toMatchObject({ recordId: forged?.messageId, key: orders.key('a') });
  });

  it('shows all again when the store fails, and when the caller stops', async () => {
    const failing = { ...orders.store, list: () => Promise.reject(new Error('no such index')) };
    await expect(peek({ admin: failing })).rejects.toThrow('no such index');
    expect(await hiddenAndShown()).toEqual(['0', '25']);

    const controller = new AbortController();
    const stopping = withCalls(orders.hasty, {
      receiveMessage: async (...input) => {
        controller.abort();
        return orders.hasty.receiveMessage(...input);
      },
    });
    const stopped = await peekDeadLetters(stopping, {
      queueUrl: orders.deadLetterUrl,
      limit: 100,
      signal: controller.signal,
    });
    expect([stopped.messages.length, stopped.isWhole]).toEqual([10, false]);
    expect(await hiddenAndShown()).toEqual(['0', '25']);
  });

  it('keeps messages hidden for as long as it takes, and does not hide them after it', async () => {
    const clock = manualClock();
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const visibilities: number[] = [];
    const slow = withCalls(orders.hasty, {
      changeMessageVisibilityBatch: async (input) => {
        visibilities.push(...input.Entries.map(({ VisibilityTimeout }) => VisibilityTimeout));
        return orders.hasty.changeMessageVisibilityBatch(input);
      },
    });
    const list: typeof orders.store.list = async (query) => {
      await gate;
      return orders.store.list(query);
    };
    const peeking = peekDeadLetters(slow, {
      queueUrl: orders.deadLetterUrl,
      limit: 10,
      admin: { ...orders.store, list },
      clock,
    });
    await until('it waits', async () => (await hiddenAndShown())[0] === '10');
    await clock.advance(10_000);
    await until('they are hidden for longer', () => visibilities.length === 10);
    open();
    await peeking;
    expect([visibilities.slice(0, 10), visibilities.slice(10)]).toEqual([
      Array.from({ length: 10 }, () => 30),
      Array.from({ length: 10 }, () => 0),
    ]);
    await clock.advance(60_000);
    expect(visibilities).toHaveLength(20);
  });

  it('shows them again only after a request that hides them for longer has ended', async () => {
    const clock = manualClock();
    const asked: number[] = [];
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const slow = withCalls(orders.hasty, {
      changeMessageVisibilityBatch: async (input) => {
        const visibility = input.Entries[0]?.VisibilityTimeout ?? -1;
        asked.push(visibility);
        if (visibility > 0) await answered;
        return orders.hasty.changeMessageVisibilityBatch(input);
      },
    });
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const list: typeof orders.store.list = async (query) => {
      await gate;
      return orders.store.list(query);
    };
    let isDone = false;
    const peeking = peekDeadLetters(slow, {
      queueUrl: orders.deadLetterUrl,
      limit: 10,
      admin: { ...orders.store, list },
      clock,
    }).then(() => (isDone = true));
    await until('it waits', async () => (await hiddenAndShown())[0] === '10');
    await clock.advance(10_000);
    await until('they are hidden for longer', () => asked.length > 0);
    open();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([isDone, asked]).toEqual([false, [30]]);
    answer();
    await peeking;
    expect(asked).toEqual([30, 0]);
    expect(await hiddenAndShown()).toEqual(['0', '25']);
  });

  it('says how many stay hidden where SQS does not show them', async () => {
    const queue = await createQueue(orders.sqs, { visibilityTimeoutSeconds: 30 });
    await orders.sqs.sendMessage({ QueueUrl: queue.queueUrl, MessageBody: 'x' });
    const unwilling = withCalls(orders.hasty, {
      changeMessageVisibilityBatch: () => Promise.reject(new Error('AccessDenied')),
    });
    expect(await peekDeadLetters(unwilling, { queueUrl: queue.queueUrl })).toMatchObject({ stillHidden: 1 });
  });

  it('shows of a FIFO group what SQS gives, and says that there is more', async () => {
    const fifo = await failedOrders({ endpoint: emulator.endpoint, isFifo: true });
    await fifo.send(...['a', 'b', 'c'].map((orderId) => ({ orderId, group: 'one' })));
    await fifo.deliver();
    const peeked = await peekDeadLetters(fifo.hasty, { queueUrl: fifo.deadLetterUrl, limit: 100 });
    expect(peeked).toMatchObject({ isWhole: false, total: 3, messages: [{ messageGroupId: 'one' }] });
    fifo.stop();
  });

  it('says what is wrong with its options', async () => {
    await expect(peek({ limit: 0 })).rejects.toThrow(
      'peekDeadLetters: Expected `limit` to be an integer from 1 up',
    );
    await expect(peek({ queueUrl: 'orders' })).rejects.toThrow("Expected `queueUrl` to be a queue's URL");
    await expect(peek({ queueUrl: orders.queueUrl })).rejects.toThrow('set `usesReceives: true`');
  });
});

describe('processorKey', () => {
  it.each([
    ['messageId()', messageId()],
    ['payloadHash()', payloadHash({ include: ['orderId'] })],
  ])('makes the keys of a processor with %s', async (_, key) => {
    const failing = await failedOrders({ endpoint: emulator.endpoint, options: { key } });
    await failing.fail('a', 'b');
    const { messages, parkedRead } = await peekDeadLetters(failing.hasty, {
      queueUrl: failing.deadLetterUrl,
      admin: failing.store,
      key: processorKey({ namespace: NAMESPACE, key }),
    });
    expect(messages.map(({ claims }) => claims.map(({ status }) => status))).toEqual([
      ['PARKED'],
      ['PARKED'],
    ]);
    expect(parkedRead).toBeUndefined();
    failing.stop();
  });

  it('makes no key of a body that has none', async () => {
    const key = processorKey({ namespace: NAMESPACE, key: payloadHash({ include: ['orderId'] }) });
    const { messages } = await peek({ limit: 1 });
    expect(await key({ ...messages[0]!, body: 'no JSON' })).toBeUndefined();
    expect(await key({ ...messages[0]!, sentBy: 'deadLetterQueue', source: 'eventbridge' })).toBeUndefined();
  });

  it('says what is wrong with its options', () => {
    expect(() => processorKey({ namespace: '' })).toThrow('processorKey: Expected `namespace`');
  });
});
