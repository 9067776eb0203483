import { describe, expect, it } from '@jest/globals';
import { s3Bodies } from 'batchlatch/s3';
import { createSender, type Sender, type SenderOptions, type SendTarget } from 'batchlatch/sender';
import { recordingSender } from 'batchlatch/testing';
import { notes, orders } from './messages.ts';

const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders';
const fifoUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders.fifo';

describe('createSender', () => {
  it.each<[object, object, RegExp]>([
    [{}, {}, /Expected a target: \{ queueUrl \}, \{ topicArn \} or \{ eventBusName, source \}/],
    [{ queueUrl: 'orders' }, {}, /Expected `queueUrl` to be a queue's URL, got `'orders'`/],
    [{ queueUrl: 'ftp://q/1/orders' }, {}, /Expected `queueUrl` to begin with https/],
    [{ topicArn: 'orders' }, {}, /Expected `topicArn` to be a topic's ARN/],
    [{ eventBusName: 'shop' }, {}, /Expected `source` to be a string/],
    [{ queueUrl, source: 'shop' }, {}, /Unknown option `source`/],
    [{ queueUrl, client: {} }, {}, /Expected `client`/],
    [{ queueUrl }, { maxMessageBytes: 10 }, /Expected `maxMessageBytes`/],
    [{ queueUrl }, { large: 'bucket' }, /Expected `large`/],
    [{ queueUrl }, { linger: 1 }, /Unknown option `linger`/],
    [
      { eventBusName: 'shop', source: 's' },
      { large: s3Bodies({ bucket: 'large' }) },
      /`large` is for queues/,
    ],
  ])('refuses %j with %j', (to, options, message) => {
    expect(() => createSender(orders, to as SendTarget, options as SenderOptions)).toThrow(message);
  });

  it('refuses types without a group for a FIFO queue or topic', () => {
    const message = /FIFO targets need a group; give `NoteTaken` a `group`/;
    expect(() => createSender(notes, { queueUrl: fifoUrl })).toThrow(message);
    expect(() => createSender(notes, { topicArn: 'arn:aws:sns:eu-west-1:123456789012:t.fifo' })).toThrow(
      message,
    );
  });

  it.each([
    ['a FIFO queue', { queueUrl: fifoUrl }],
    ['a topic', { topicArn: 'arn:aws:sns:eu-west-1:123456789012:t' }],
    ['an event bus', { eventBusName: 'shop', source: 's' }],
  ])('refuses a delay on %s', async (_, to: SendTarget) => {
    const sender = createSender(orders, to) as Sender<typeof orders.types, { queueUrl: string }>;
    const body = { orderId: 'o', tenantId: 't' };
    await expect(sender.send('OrderPlaced', body, { delayMs: 1 })).rejects.toMatchObject({
      code: 'BATCHLATCH_CONFIGURATION',
      message: expect.stringContaining('delayMs'),
    });
  });

  it.each([-1, 900_001, Number.NaN])('refuses a delay of %d ms', async (delayMs) => {
    const sender = createSender(notes, { queueUrl });
    await expect(sender.send('NoteTaken', { text: 'a' }, { delayMs })).rejects.toThrow(/from 0 to 900000/);
  });

  it('refuses a deadline that is no time', async () => {
    const sender = createSender(notes, { queueUrl });
    await expect(sender.sendAll([], { deadlineMs: 0 })).rejects.toThrow(/Expected `deadlineMs`/);
  });

  it('has types for each target, type and body', () => {
    const queue = recordingSender(orders);
    const fifo = () => createSender(orders, { queueUrl: 'https://q/1/orders.fifo' });
    const topic = () => createSender(orders, { topicArn: 'arn:aws:sns:eu-west-1:123456789012:t' });
    const body = { orderId: 'o', tenantId: 't' };
    const never = (): unknown[] => [
      queue.send('OrderPlaced', body, { delayMs: 1 }),
      // @ts-expect-error -- FIFO queues delay no single message
      fifo().send('OrderPlaced', body, { delayMs: 1 }),
      // @ts-expect-error -- topics delay nothing
      topic().sendAll([{ type: 'OrderPlaced', body, delayMs: 1 }]),
      // @ts-expect-error -- no such type
      queue.send('OrderPlace', body),
      // @ts-expect-error -- not the body of this type
      queue.send('OrderPlaced', { orderId: 'o' }),
      // @ts-expect-error -- not the body of this type
      queue.sendAll([{ type: 'OrderPlaced', body: { text: 'a' } }]),
    ];
    const relays: readonly Pick<Sender, 'sendEncoded'>[] = [queue];
    const general: Sender<typeof orders.types> = queue;
    expect([never.length, relays, general]).toEqual([0, [queue], queue]);
  });
});
