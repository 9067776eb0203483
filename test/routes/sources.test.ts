import { describe, expect, it } from '@jest/globals';
import {
  type BatchProcessorOptions,
  createBatchProcessor,
  eventBridgeEnvelope,
  gzip,
  snsEnvelope,
} from 'batchlatch';
import {
  cloudEvents,
  field,
  from,
  message,
  messages,
  outboxId,
  routes,
  type RoutesOptions,
} from 'batchlatch/messages';
import { memoryStore } from 'batchlatch/memory';
import {
  eventBridgeBusEvent,
  eventBridgeEvent,
  kafkaEvent,
  kinesisEvent,
  lambdaContext,
  pipesEvent,
  snsEvent,
  sqsEvent,
} from 'batchlatch/testing';
import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { changedRecord } from '../../src/routes/changed-record.ts';
import { recordOf } from '../support/read-record.ts';
import { typed } from './orders.ts';

const orders = messages({
  OrderPlaced: message(z.strictObject({ orderId: z.string() }), {
    key: ['orderId'],
    upgrades: { 1: from(z.strictObject({ id: z.string() }), ({ id }) => ({ orderId: id })) },
  }),
  OrderCancelled: message(z.strictObject({ orderId: z.string() }), { key: ['orderId'] }),
});

type Options = Omit<BatchProcessorOptions, 'schema'> & Pick<RoutesOptions, 'by'>;

/** The calls of the handlers that an event brings. */
async function callsOf(event: unknown, { by, ...options }: Options = {}): Promise<unknown[]> {
  const calls: unknown[] = [];
  const processor = createBatchProcessor(
    routes(
      orders,
      {
        OrderPlaced: ({ body }) => void calls.push(['OrderPlaced', body]),
        OrderCancelled: ({ body }) => void calls.push(['OrderCancelled', body]),
      },
      by && { by },
    ),
    { store: memoryStore(), namespace: 'shop', observer: { onEvent: () => undefined }, ...options },
  );
  await processor(event, lambdaContext());
  return calls;
}

const CANCELLED = { orderId: '7' };
const EXPECTED = [['OrderCancelled', CANCELLED]];
const UPGRADED = [['OrderPlaced', { orderId: '7' }]];

const NOTIFICATION = {
  Type: 'Notification',
  MessageId: 'n1',
  TopicArn: 'arn:aws:sns:us-east-1:123456789012:orders',
  Message: JSON.stringify(CANCELLED),
  MessageAttributes: { type: { Type: 'String', Value: 'OrderCancelled' } },
};

const cloudEvent = (data: unknown): object => ({
  specversion: '1.0',
  id: 'e1',
  source: '/shop',
  type: 'OrderCancelled',
  data,
});

describe('the type of a record', () => {
  it.each<readonly [string, unknown, options?: Options]>([
    ['an attribute of SQS', sqsEvent([typed('OrderCancelled', CANCELLED)])],
    ['an attribute of SQS through a pipe', pipesEvent(sqsEvent([typed('OrderCancelled', CANCELLED)]))],
    [
      'an attribute of SNS',
      snsEvent([{ message: CANCELLED, messageAttributes: NOTIFICATION.MessageAttributes }]),
    ],
    [
      'an attribute of the SNS envelope in a queue',
      sqsEvent([{ body: NOTIFICATION }]),
      { decode: snsEnvelope() },
    ],
    [
      'an attribute of the envelope rather than of the message around it',
      sqsEvent([typed('Relayed', NOTIFICATION)]),
      { decode: snsEnvelope() },
    ],
    ['the detail-type of EventBridge', eventBridgeEvent(CANCELLED, { 'detail-type': 'OrderCancelled' })],
    [
      'the detail-type of an event in a queue',
      sqsEvent([{ body: eventBridgeEvent(CANCELLED, { 'detail-type': 'OrderCancelled' }) }]),
      { decode: eventBridgeEnvelope() },
    ],
    [
      'an attribute of a message with a compressed body',
      sqsEvent([typed('OrderCancelled', gzipSync(JSON.stringify(CANCELLED)).toString('base64'))]),
      { decode: gzip() },
    ],
    ['a header of Kafka', kafkaEvent([{ value: CANCELLED, headers: { type: 'OrderCancelled' } }])],
    [
      'a function of the record, for Kinesis',
      kinesisEvent([{ body: CANCELLED, partitionKey: 'OrderCancelled' }]),
      { by: (record) => (record.source === 'kinesis' ? record.partitionKey : undefined) },
    ],
    [
      'a CloudEvent in structured mode',
      kinesisEvent([{ body: cloudEvent(CANCELLED) }]),
      { by: cloudEvents() },
    ],
    [
      "a CloudEvent with its data as text, as AWS's framework for .NET sends it",
      sqsEvent([{ body: cloudEvent(JSON.stringify(CANCELLED)) }]),
      { by: cloudEvents() },
    ],
    [
      'a CloudEvent with its data as base64',
      kinesisEvent([
        {
          body: {
            ...cloudEvent(undefined),
            data_base64: Buffer.from(JSON.stringify(CANCELLED)).toString('base64'),
          },
        },
      ]),
      { by: cloudEvents() },
    ],
    [
      'a CloudEvent in binary mode',
      kafkaEvent([{ value: CANCELLED, headers: { ce_type: 'OrderCancelled', ce_specversion: '1.0' } }]),
      { by: cloudEvents() },
    ],
    [
      'a CloudEvent in an event of EventBridge',
      eventBridgeEvent(cloudEvent(CANCELLED), { 'detail-type': 'CloudEvent' }),
      { by: cloudEvents() },
    ],
  ])('is read from %s', async (...[, event, options]) => {
    expect(await callsOf(event, options)).toEqual(EXPECTED);
  });

  it('is read from a member of the body, which the schema then sees', async () => {
    const seen: unknown[] = [];
    const events = messages({
      placed: message(z.looseObject({ orderId: z.string() }), { key: ['orderId'] }),
    });
    const processor = createBatchProcessor(
      routes(events, { placed: ({ body }) => void seen.push(body) }, { by: field('event.name') }),
      { store: memoryStore(), namespace: 'shop', observer: { onEvent: () => undefined } },
    );
    const body = { event: { name: 'placed' }, orderId: '7' };
    await processor(kinesisEvent([{ body: body }]));
    expect(seen).toEqual([body]);
  });

  it.each([42, { toString: () => 'OrderCancelled' }, Promise.resolve('OrderCancelled'), ''])(
    'is none if a function returns %p',
    async (type) => {
      const event = sqsEvent([{ body: CANCELLED }]);
      expect(await callsOf(event, { by: () => type as string })).toEqual([]);
    },
  );
});

describe('a CloudEvent that cannot be read', () => {
  /** The codes of the records that the event has as invalid. */
  async function codesOf(event: unknown): Promise<unknown[]> {
    const codes: unknown[] = [];
    const events = messages({ OrderCancelled: message(z.any()) });
    const handler = createBatchProcessor(
      routes(events, { OrderCancelled: () => undefined }, { by: cloudEvents() }),
      {
        store: memoryStore(),
        namespace: 'shop',
        observer: {
          onEvent: (one) => void (one.type === 'invalid' && codes.push(one.error)),
        },
      },
    );
    await handler(event, lambdaContext()).catch(() => undefined);
    return codes.map((error) => (error as { readonly code: string }).code);
  }

  it('is invalid if the text of its data is nested too deep', async () => {
    const deep = '['.repeat(150_000) + ']'.repeat(150_000);
    expect(await codesOf(sqsEvent([{ body: cloudEvent(deep) }]))).toEqual(['BATCHLATCH_DECODE']);
  });

  it('is invalid, and no error of the schema, if it is not UTF-8', async () => {
    const event = kinesisEvent([{ body: {} }]);
    const bytes = Buffer.from(JSON.stringify(cloudEvent('\u00ff')), 'latin1');
    Object.assign(event.Records[0]?.kinesis ?? {}, { data: bytes.toString('base64') });
    expect(await codesOf(event)).toEqual(['BATCHLATCH_MALFORMED_RECORD']);
  });

  it('keeps no parsed body beside its data if it is long', async () => {
    const record = recordOf(sqsEvent([{ body: cloudEvent('x'.repeat(300_000)) }]));
    const { body } = record;
    changedRecord(record, (one) => one, { detail: undefined, upgrade: undefined });
    expect(record.body).not.toBe(body);
  });
});

describe('the attributes in the detail of an EventBridge event', () => {
  const detail = {
    id: '7',
    _attributes: { version: '1', outboxId: 'row-1', traceparent: 'tp', source: 'evil' },
  };

  it.each<readonly [string, unknown, options?: Options]>([
    ['directly', eventBridgeEvent(detail, { 'detail-type': 'OrderPlaced' })],
    [
      'in a queue',
      sqsEvent([{ body: eventBridgeEvent(detail, { 'detail-type': 'OrderPlaced' }) }]),
      { decode: eventBridgeEnvelope() },
    ],
    ['from a custom bus', eventBridgeBusEvent([{ body: detail }])],
  ])('are taken out before key, upgrade and schema see the body, %s', async (...[, event, options]) => {
    expect(await callsOf(event, options)).toEqual(UPGRADED);
  });

  it("become attributes of the record, and change none of EventBridge's own", async () => {
    const seen: object[] = [];
    const events = messages({ Pinged: message(z.strictObject({})) });
    const processor = createBatchProcessor(
      routes(events, {
        Pinged: ({ attributes }, { idempotencyKey }) => void seen.push({ ...attributes, idempotencyKey }),
      }),
      { store: memoryStore(), namespace: 'shop', observer: { onEvent: () => undefined } },
    );
    const { id: _id, ...rest } = detail;
    await processor(eventBridgeEvent(rest, { 'detail-type': 'Pinged' }));
    expect(seen).toEqual([
      expect.objectContaining({
        source: 'shop.orders',
        traceparent: 'tp',
        outboxId: 'row-1',
        idempotencyKey: 'shop#t1:Pinged:row-1',
      }),
    ]);
  });
});

describe('outboxId()', () => {
  it.each<[string, unknown]>([
    ['the attribute', sqsEvent([typed('T', {}, { outboxId: 'row-1' })])],
    [
      'the detail of an event',
      eventBridgeEvent({ _attributes: { outboxId: 'row-1' } }, { 'detail-type': 'T' }),
    ],
  ])('is the key of a processor without routes, from %s', async (_where, event) => {
    const keys: string[] = [];
    const handler = createBatchProcessor((_record, { idempotencyKey }) => void keys.push(idempotencyKey), {
      key: outboxId(),
      store: memoryStore(),
      namespace: 'shop',
    });
    await handler(event);
    expect(keys).toEqual(['shop#v1:row-1']);
  });

  it('refuses a record that no outbox has sent, and one whose attribute is empty', async () => {
    const handler = createBatchProcessor(() => undefined, {
      key: outboxId(),
      store: memoryStore(),
      namespace: 'shop',
      observer: { onEvent: () => undefined },
    });
    const event = sqsEvent([
      { messageId: 'a', body: {} },
      { messageId: 'b', ...typed('T', {}, { outboxId: '' }) },
    ]);
    expect((await handler(event)).batchItemFailures).toHaveLength(2);
  });
});
