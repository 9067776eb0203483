import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { SNS } from '@aws-sdk/client-sns';
import { EventBridge } from '@aws-sdk/client-eventbridge';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { traceContext } from 'batchlatch/opentelemetry';
import { s3Bodies, s3Pointer } from 'batchlatch/s3';
import { createSender } from 'batchlatch/sender';
import { z } from 'zod';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { message } from '../../src/messages/message.ts';
import { messages } from '../../src/messages/messages.ts';
import { fastClock } from '../support/fast-clock.ts';
import { receiveEvent } from '../support/poll-queue.ts';
import { notes, orders, placed } from './messages.ts';
import { scriptedTarget, TAKEN } from './scripted-target.ts';

const target = scriptedTarget();
const BUS = { eventBusName: 'shop', source: 'shop.orders' };
const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };

describe('a sender to an event bus', () => {
  it('puts events with the type as detail-type and the body as detail', async () => {
    await createSender(notes, BUS).send('NoteTaken', { text: 'a' });
    expect(target.taken).toEqual([
      { EventBusName: 'shop', Source: 'shop.orders', DetailType: 'NoteTaken', Detail: '{"text":"a"}' },
    ]);
    expect(target.headers[0]).toMatchObject({
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSEvents.PutEvents',
      authorization: expect.stringContaining('/us-east-1/events/aws4_request'),
    });
  });

  it('has the other attributes in one member of the detail', async () => {
    const old = messages({ Empty: { ...message(z.object({})), version: 2 } });
    await createSender(old, BUS).send('Empty', {});
    expect(target.taken[0]?.Detail).toBe('{"_attributes":{"version":"2"}}');
  });

  it('refuses bodies that are no objects, or have a member of that name', async () => {
    const texts = messages({ Text: message(z.union([z.string(), z.object({ _attributes: z.string() })])) });
    const all = ['x', { _attributes: 'y' }].map((body) => ({ type: 'Text' as const, body }));
    const { failed } = await createSender(texts, BUS).sendAll(all);
    expect(failed.map(({ error }) => error.message)).toEqual([
      expect.stringContaining('must be an object'),
      expect.stringContaining('_attributes'),
    ]);
  });

  it('sends failed entries again, by their place in the answer', async () => {
    target.script((nth) =>
      nth === 0
        ? {
            entries: ({ Detail }) =>
              Detail.includes('b') ? 'throttled' : Detail.includes('c') ? 'refused' : 'taken',
          }
        : TAKEN,
    );
    const all = ['a', 'b', 'c'].map((text) => ({ type: 'NoteTaken' as const, body: { text } }));
    const sender = createSender(notes, BUS, { clock: fastClock(20) });
    const { sent, failed } = await sender.sendAll(all, { deadlineMs: 100_000 });
    expect(sent).toEqual([all[0], all[1]]);
    // By the name of the cause, relays tell a missing permission from a refusal of the message.
    const error = { cause: { name: 'MalformedDetail' } };
    expect(failed).toMatchObject([{ message: all[2], error, isRetryable: false }]);
  });

  it('does not know about an event without a result', async () => {
    target.script(() => ({ entries: () => 'omitted' }));
    await expect(createSender(notes, BUS).send('NoteTaken', { text: 'a' })).rejects.toMatchObject({
      isUnknown: true,
    });
  });

  it('puts events through a given client', async () => {
    const client = new EventBridge({ ...emulatorClientConfig, endpoint: target.endpoint });
    await createSender(notes, { ...BUS, client }).send('NoteTaken', { text: 'a' });
    expect(target.taken).toMatchObject([{ DetailType: 'NoteTaken' }]);
    client.destroy();
  });
});

describe('the trace context of messages', () => {
  const manager = new AsyncLocalStorageContextManager();
  beforeAll(() => void context.setGlobalContextManager(manager.enable()));
  afterAll(() => context.disable());
  const inSpan = <Result>(run: () => Result): Result =>
    context.with(trace.setSpanContext(context.active(), PARENT), run);

  it('travels in attributes to a queue', async () => {
    const sender = createSender(notes, { queueUrl: target.queueUrl }, { trace: traceContext() });
    await inSpan(() => sender.send('NoteTaken', { text: 'a' }));
    await sender.send('NoteTaken', { text: 'b' });
    expect(target.taken[0]?.MessageAttributes['traceparent']?.StringValue).toBe(
      `00-${PARENT.traceId}-${PARENT.spanId}-01`,
    );
    expect(target.taken[1]?.MessageAttributes).toEqual({
      type: { DataType: 'String', StringValue: 'NoteTaken' },
    });
  });

  it('travels in the detail to an event bus', async () => {
    const sender = createSender(notes, BUS, { trace: traceContext() });
    await inSpan(() => sender.send('NoteTaken', { text: 'a' }));
    expect(JSON.parse(target.taken[0]?.Detail ?? '')).toEqual({
      text: 'a',
      _attributes: { traceparent: `00-${PARENT.traceId}-${PARENT.spanId}-01` },
    });
  });
});

describe('with fauxqs', () => {
  const bucket = `bodies-${randomUUID()}`;
  let service: LocalService;
  let sqs: SQS;
  let sns: SNS;
  let s3: S3Client;

  beforeAll(async () => {
    service = await startSqsEmulator(); // which answers SNS and S3 calls too
    const config = { ...emulatorClientConfig, endpoint: service.endpoint };
    [sqs, sns, s3] = [new SQS(config), new SNS(config), new S3Client({ ...config, forcePathStyle: true })];
    await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  });
  afterAll(async () => {
    for (const client of [sqs, sns, s3]) client.destroy();
    await service.stop();
  });

  async function createQueue(
    isFifo: boolean,
  ): Promise<{ readonly queueUrl: string; readonly queueArn: string }> {
    const { QueueUrl: queueUrl = '' } = await sqs.createQueue({
      QueueName: `q-${randomUUID()}${isFifo ? '.fifo' : ''}`,
      ...(isFifo && { Attributes: { FifoQueue: 'true' } }),
    });
    const { Attributes = {} } = await sqs.getQueueAttributes({
      QueueUrl: queueUrl,
      AttributeNames: ['QueueArn'],
    });
    return { queueUrl, queueArn: Attributes['QueueArn'] ?? '' };
  }

  it('publishes to a FIFO topic, with group and type', async () => {
    const { TopicArn: topicArn = '' } = await sns.createTopic({
      Name: `t-${randomUUID()}.fifo`,
      Attributes: { FifoTopic: 'true' },
    });
    const queue = await createQueue(true);
    await sns.subscribe({ TopicArn: topicArn, Protocol: 'sqs', Endpoint: queue.queueArn });
    const sender = createSender(orders, { topicArn, client: sns });
    await sender.send('OrderPlaced', placed('o1').body);
    const [record] = (await receiveEvent(sqs, queue)).Records;
    expect(record?.attributes.MessageGroupId).toBe('t1');
    expect(JSON.parse(record?.body ?? '')).toMatchObject({
      Message: '{"orderId":"o1","tenantId":"t1"}',
      MessageAttributes: { type: { Type: 'String', Value: 'OrderPlaced' } },
    });
  });

  it('sends large bodies through S3, where s3Pointer finds them', async () => {
    const queue = await createQueue(false);
    const sender = createSender(
      notes,
      { queueUrl: queue.queueUrl },
      { maxMessageBytes: 1_024, large: s3Bodies({ bucket, client: s3 }) },
    );
    const text = 'ü'.repeat(1_000);
    await sender.send('NoteTaken', { text });
    const event = await receiveEvent(sqs, queue);
    expect(event.Records[0]?.messageAttributes['ExtendedPayloadSize']).toMatchObject({
      stringValue: '2011',
      dataType: 'Number',
    });
    const bodies: unknown[] = [];
    const process = createBatchProcessor(({ body }) => void bodies.push(body), {
      store: memoryStore(),
      decode: s3Pointer({ buckets: [bucket], client: s3 }),
    });
    expect(await process(event)).toEqual({ batchItemFailures: [] });
    expect(bodies).toEqual([{ text }]);
  });

  it('says that a large body failed where there is no place for it, and where S3 does not take it', async () => {
    const { queueUrl } = await createQueue(false);
    const body = { text: 'x'.repeat(1_024) };
    const small = createSender(notes, { queueUrl }, { maxMessageBytes: 1_024 });
    await expect(small.send('NoteTaken', body)).rejects.toMatchObject({
      isRetryable: false,
      message: expect.stringContaining('s3Bodies'),
    });
    const large = s3Bodies({ bucket: 'there-is-none', client: s3 });
    const withS3 = createSender(notes, { queueUrl }, { maxMessageBytes: 1_024, large });
    await expect(withS3.send('NoteTaken', body)).rejects.toMatchObject({
      code: 'BATCHLATCH_SEND',
      isRetryable: true,
    });
  });
});
