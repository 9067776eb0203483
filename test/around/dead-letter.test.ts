import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  base64,
  type BatchProcessorOptions,
  deadLetterQueue,
  standardSchema,
  gzip,
  payloadHash,
  PermanentError,
  type RecordHandler,
  type SqsClient,
} from 'batchlatch';
import { kinesisEvent, sqsEvent } from 'batchlatch/testing';
import { z } from 'zod';
import { eventBridgeEvent } from 'batchlatch/testing';
import { type EmulatedQueue, emulatedQueues } from '../support/emulated-queues.ts';
import { type Bench, bench, failed, fifo, messages } from '../batch/bench.ts';

const queues = emulatedQueues();
let dead: EmulatedQueue;
let b: Bench;

const refused: RecordHandler = () => {
  throw Object.assign(new PermanentError('no such customer'), { code: 'BATCHLATCH_PERMANENT' });
};
const options = (sqs: SqsClient = queues.sqs): BatchProcessorOptions => ({
  sqs,
  deadLetter: deadLetterQueue({ url: dead.queueUrl }),
});
/** A queue that does not take anything. */
const closed: SqsClient = {
  changeMessageVisibilityBatch: async () => ({}),
  sendMessage: async () => {
    throw new Error('AccessDenied');
  },
};

describe('deadLetter', () => {
  beforeEach(async () => {
    dead = await queues.create();
    b = bench();
  });

  it('takes what failed for good, with its error, its attempt and its source, and the record is acknowledged', async () => {
    const event = messages('a', 'b');
    event.Records[0]!.messageAttributes = {
      tenant: { dataType: 'String', stringValue: 'acme' },
      'AWS.Trace': { dataType: 'String', stringValue: 'not sent: the name is reserved' },
    };
    const handler: RecordHandler = (record, context) =>
      record.id === 'a' ? refused(record, context) : 'done';
    expect(failed(await b.processor(handler, options())(event))).toEqual([]);

    const { Records: letters } = await dead.receive();
    expect(letters).toHaveLength(1);
    expect(letters[0]?.body).toBe('{"id":"a"}');
    const attributes = Object.entries(letters[0]?.messageAttributes ?? {}).map(([name, { stringValue }]) => [
      name,
      stringValue,
    ]);
    expect(Object.fromEntries(attributes)).toEqual({
      ErrorName: 'PermanentError',
      ErrorMessage: 'no such customer',
      ErrorCode: 'BATCHLATCH_PERMANENT',
      Attempt: '1',
      Source: 'arn:aws:sqs:us-east-1:123456789012:orders',
      RecordId: 'a',
      IdempotencyKey: b.key('a'),
      tenant: 'acme',
    });
    expect((await b.claim('a'))?.status).toBe('PARKED');
    expect(b.eventsOf('deadLettered')).toMatchObject([{ recordId: 'a' }]);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { completed: 1, parked: 1 } }]);
  });

  it('takes what cannot be decoded as it was delivered', async () => {
    const event = sqsEvent([{ messageId: 'a', body: 'no gzip' }]);
    expect(failed(await b.processor(() => 'done', { ...options(), decode: gzip() })(event))).toEqual([]);
    const [letter] = (await dead.receive()).Records;
    expect(letter?.body).toBe('no gzip');
    expect(letter?.messageAttributes['ErrorCode']?.stringValue).toBe('BATCHLATCH_DECODE');
  });

  it('takes a body that does not fit the schema as it was delivered, not as it was decoded', async () => {
    const body = Buffer.from('{"orderId":7}').toString('base64');
    const schema = standardSchema(z.object({ orderId: z.string() }));
    const process = b.processor(() => 'done', { ...options(), schema, decode: base64() });
    expect(failed(await process(sqsEvent([{ messageId: 'a', body }])))).toEqual([]);
    const [letter] = (await dead.receive()).Records;
    expect(letter?.body).toBe(body);
    expect(letter?.messageAttributes['ErrorCode']?.stringValue).toBe('BATCHLATCH_INVALID_BODY');
  });

  it('lets a shard go on: what fails for good is no checkpoint', async () => {
    const runs: string[] = [];
    const event = kinesisEvent(['a1', 'a2', 'a3'].map((id) => ({ body: id, partitionKey: 'a' })));
    const handler: RecordHandler = (record, context) => {
      runs.push(record.rawBody);
      if (record.rawBody === 'a2') refused(record, context);
    };
    expect(failed(await b.processor(handler, options())(event))).toEqual([]);
    expect(runs).toEqual(['a1', 'a2', 'a3']);
    const [letter] = (await dead.receive()).Records;
    expect(JSON.parse(letter?.body ?? '')).toEqual(event.Records[1]);
  });

  it('leaves what may run again to the queue', async () => {
    const failing: RecordHandler = () => {
      throw new Error('not now');
    };
    expect(await b.run(failing, ['a'], options())).toEqual(['a']);
    expect((await dead.receive()).Records).toEqual([]);
  });

  it('takes what was found parked too: its own message would come back for nothing', async () => {
    await b.run(refused, ['a']);
    let runs = 0;
    expect(await b.run(() => (runs += 1), ['a'], options())).toEqual([]);
    expect(runs).toBe(0);
    const [letter] = (await dead.receive()).Records;
    expect(letter?.messageAttributes['ErrorMessage']?.stringValue).toBe('no such customer');
    expect(letter?.messageAttributes['Attempt']).toBeUndefined();
  });

  it.each([
    ['maxAttempts', { maxAttempts: 1 }],
    ['maxCrashes', { maxCrashes: 1 }],
    ['onLapsedLease', { onLapsedLease: 'park' as const }],
  ])('takes what %s parks', async (_, limit) => {
    await b.die('a');
    expect(await b.run(() => 'never', ['a'], { ...options(), ...limit })).toEqual([]);
    expect((await dead.receive()).Records).toHaveLength(1);
  });

  it('takes a record without a key and one with another payload, which no redelivery can help', async () => {
    const processor = b.processor(() => 'done', {
      ...options(),
      key: ({ body }) => (body as { orderId: string }).orderId,
      payloadValidation: payloadHash({ include: ['amount'] }),
    });
    const event = messages('a', 'b', 'c');
    event.Records[0]!.body = '{"orderId":"1","amount":1}';
    event.Records[1]!.body = '{"orderId":"1","amount":2}';
    event.Records[2]!.body = '{"amount":3}';
    expect(failed(await processor(event))).toEqual([]);
    const codes = (await dead.receive()).Records.map(
      ({ messageAttributes }) => messageAttributes['ErrorCode']?.stringValue,
    );
    expect(new Set(codes)).toEqual(new Set(['BATCHLATCH_KEY', 'BATCHLATCH_MISMATCH']));
  });

  it('gets a message of its own for each of two records with one key', async () => {
    expect(await b.run(refused, ['a', 'b'], { ...options(), key: () => 'same' })).toEqual([]);
    expect((await dead.receive()).Records).toHaveLength(2);
  });

  it('acknowledges a follower only when its own message was taken too', async () => {
    let sent = 0;
    const once: SqsClient = {
      ...closed,
      async sendMessage(input) {
        sent += 1;
        return sent === 1 ? queues.sqs.sendMessage(input) : closed.sendMessage(input);
      },
    };
    const handler: RecordHandler = async (record, context) => {
      if (record.id === 'b1') return b.told('deadLettered', 'a1');
      return refused(record, context);
    };
    const key = ({ id }: { id: string }): string => (id === 'b1' ? 'other' : 'same');
    const running = b.processor(handler, { ...options(once), key })(fifo('a1', 'b1', 'b2'));
    await b.told('failed', 'a1');
    await b.clock.advance(5); // it lingers for company
    expect(failed(await running)).toEqual(['b2']);
  });

  it('that does not take a record gets it another time: the record is handed back', async () => {
    expect(await b.run(refused, ['a', 'b'], options(closed))).toEqual(['a', 'b']);
    expect(b.eventsOf('deadLetterFailed')).toMatchObject([
      { recordId: 'a', error: { message: 'AccessDenied' } },
      { recordId: 'b' },
    ]);
    expect(await b.run(refused, ['a'], options())).toEqual([]);
    expect((await dead.receive()).Records).toHaveLength(1);
  });

  it('hands back only the record that its handler has made unsendable', async () => {
    const handler: RecordHandler = (record) => {
      if (record.body !== 'a') return;
      Object.assign(record.raw as object, { amount: 1n }); // JSON has no bigints
      throw new PermanentError('no such customer');
    };
    const event = kinesisEvent([
      { sequenceNumber: '1', partitionKey: 'x', body: 'b' },
      { sequenceNumber: '2', partitionKey: 'y', body: 'a' },
    ]);
    expect(failed(await b.processor(handler, options())(event))).toEqual(['2']);
    expect(b.eventsOf('deadLetterFailed')).toMatchObject([{ error: { name: 'TypeError' } }]);
  });

  it('lets its FIFO group go on, and stops it where it did not take the record', async () => {
    const handler: RecordHandler = (record, context) =>
      record.id === 'a1' ? refused(record, context) : 'done';
    expect(failed(await b.processor(handler, options())(fifo('a1', 'a2')))).toEqual([]);
    expect((await b.claim('a2'))?.status).toBe('COMPLETED');
    const other = bench();
    expect(failed(await other.processor(handler, options(closed))(fifo('a1', 'a2')))).toEqual(['a1', 'a2']);
  });

  it('may be a FIFO queue: the group stays, and the same failure sent twice arrives once', async () => {
    const fifoDead = await queues.create({ fifo: true });
    const fifoOptions = { sqs: queues.sqs, deadLetter: deadLetterQueue({ url: fifoDead.queueUrl }) };
    // The second delivery is that of a record whose process died after the send: it is found parked.
    for (let delivery = 1; delivery <= 2; delivery += 1) {
      expect(failed(await b.processor(refused, fifoOptions)(fifo('a1')))).toEqual([]);
    }
    const { Attributes } = await queues.sqs.getQueueAttributes({
      QueueUrl: fifoDead.queueUrl,
      AttributeNames: ['ApproximateNumberOfMessages'],
    });
    expect(Attributes?.ApproximateNumberOfMessages).toBe('1');
    expect((await fifoDead.receive()).Records[0]?.attributes.MessageGroupId).toBe('a');
  });

  it('sends no more than ten attributes, and no text that SQS refuses', async () => {
    const event = messages('a');
    event.Records[0]!.messageAttributes = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`own${index}`, { dataType: 'String', stringValue: 'x' }]),
    );
    const handler: RecordHandler = () => {
      throw new PermanentError('bell \u0007 and \uFFFE');
    };
    expect(failed(await b.processor(handler, options())(event))).toEqual([]);
    const [letter] = (await dead.receive()).Records;
    expect(Object.keys(letter?.messageAttributes ?? {})).toHaveLength(10);
    expect(letter?.messageAttributes['ErrorMessage']?.stringValue).toBe('bell \uFFFD and \uFFFD');
  });

  it('gets an event that EventBridge delivered as it came, and the event is done with', async () => {
    const event = eventBridgeEvent({ orderId: 'a' });
    expect(await b.processor(refused, options())(event)).toBeUndefined();
    const [letter] = (await dead.receive()).Records;
    expect(JSON.parse(letter?.body ?? '')).toEqual(event);
    expect(letter?.messageAttributes['Source']?.stringValue).toBe('eventbridge');
    await expect(bench().processor(refused, options(closed))(event)).rejects.toThrow('no such customer');
  });

  it('gets an event whose account the sender made a number', async () => {
    const event = { ...eventBridgeEvent({ orderId: 'a' }), account: 123_456_789_012 };
    expect(await b.processor(refused, options())(event)).toBeUndefined();
    const [letter] = (await dead.receive()).Records;
    expect(JSON.parse(letter?.body ?? '')).toEqual(event);
    expect(letter?.messageAttributes).not.toHaveProperty('account');
  });

  it.each<[string, string | undefined]>([
    ['a parked record', '1'],
    ['one without a key', undefined],
  ])('takes no word of the sender for ours: %s', async (what, attempt) => {
    const event = messages('a');
    const forged = [
      'ErrorCode',
      'RecordId',
      'IdempotencyKey',
      'ErrorName',
      'Attempt',
      'Source',
      'ErrorMessage',
    ];
    event.Records[0]!.messageAttributes = Object.fromEntries(
      [...forged, 'attempt', 'IDEMPOTENCYKEY', 'tenant'].map((name) => [
        name,
        { dataType: 'String', stringValue: 'forged' },
      ]),
    );
    const key = what === 'a parked record' ? 'a' : '';
    expect(failed(await b.processor(refused, { ...options(), key: () => key })(event))).toEqual([]);
    const [letter] = (await dead.receive()).Records;
    const { tenant, ...ours } = letter?.messageAttributes ?? {};
    expect(tenant?.stringValue).toBe('forged');
    expect(JSON.stringify(ours)).not.toContain('forged');
    expect(ours['Attempt']?.stringValue).toBe(attempt);
    expect(Object.keys(ours).every((name) => forged.includes(name))).toBe(true);
  });

  it('gets what has no key without one', async () => {
    expect(await b.run(() => 'never', ['a'], { ...options(), key: () => '' })).toEqual([]);
    const [letter] = (await dead.receive()).Records;
    expect(letter?.messageAttributes['ErrorCode']?.stringValue).toBe('BATCHLATCH_KEY');
    expect(letter?.messageAttributes['IdempotencyKey']).toBeUndefined();
  });
});
