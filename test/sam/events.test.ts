import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { EventBridgeEvent, SQSEvent } from 'aws-lambda';
import type { Order } from '../../examples/orders/order.ts';
import { at, readTemplate } from './read-template.ts';

function readJson(path: string) {
  return JSON.parse(readFileSync(`examples/orders/${path}`, 'utf8'));
}

const anOrder = {
  orderId: expect.any(String),
  customerId: expect.any(String),
  amountCents: expect.any(Number),
  currency: expect.stringMatching(/^[A-Z]{3}$/),
};

describe.each([
  ['sqs-batch.json', 3],
  ['sqs-one-order.json', 1],
])('events/%s', (file, count) => {
  const { Records: records }: SQSEvent = readJson(`events/${file}`);

  it(`is ${count} orders as SQS delivers them`, () => {
    expect(records).toHaveLength(count);
    expect(new Set(records.map((record) => record.messageId)).size).toBe(count);
    for (const record of records) {
      expect(record).toMatchObject({
        messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        receiptHandle: expect.any(String),
        eventSource: 'aws:sqs',
        eventSourceARN: expect.stringMatching(/^arn:aws:sqs:[a-z0-9-]+:\d{12}:OrdersQueue$/),
        attributes: {
          ApproximateReceiveCount: expect.stringMatching(/^\d+$/),
          SentTimestamp: expect.stringMatching(/^\d{13}$/),
        },
      });
      expect(JSON.parse(record.body)).toEqual(anOrder);
    }
  });
});

describe('events/sqs-batch.json', () => {
  it('has one order that cannot be charged', () => {
    const { Records: records }: SQSEvent = readJson('events/sqs-batch.json');
    const orders: Order[] = records.map((record) => JSON.parse(record.body));
    expect(orders.filter((order) => order.amountCents <= 0)).toHaveLength(1);
  });
});

describe('events/eventbridge-order-placed.json', () => {
  const event: EventBridgeEvent<string, Order> = readJson('events/eventbridge-order-placed.json');

  it('is an event that the rule matches', () => {
    const events = at(readTemplate(), 'Resources', 'OrderPlacedFunction', 'Properties', 'Events');
    expect(at(events, 'OrderPlaced', 'Properties', 'Pattern')).toEqual({
      source: [event.source],
      'detail-type': [event['detail-type']],
    });
  });

  it('is an order as EventBridge delivers it', () => {
    expect(event).toMatchObject({
      version: '0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      detail: anOrder,
    });
  });
});

describe('env.json', () => {
  it('sets only what the template names: `sam local` ignores the rest without a word', () => {
    const named = at(readTemplate(), 'Globals', 'Function', 'Environment', 'Variables');
    for (const variable of Object.keys(readJson('env.json').Parameters)) {
      expect(named).toHaveProperty(variable);
    }
  });
});
