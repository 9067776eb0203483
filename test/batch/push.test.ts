import { describe, expect, it } from '@jest/globals';
import { type RecordHandler, s3Envelope, snsEnvelope } from 'batchlatch';
import { pipesEvent, s3Event, snsEvent, sqsEvent } from 'batchlatch/testing';
import { bench, failed } from './bench.ts';

describe('Notifications that are delivered to the function itself', () => {
  const objects = s3Event([
    { key: 'a', sequencer: '01' },
    { key: 'b', sequencer: '02' },
    { key: 'c', sequencer: '03' },
  ]);
  const keyOf: RecordHandler = ({ source, body }) =>
    source === 's3' ? (body as { key: string }).key : undefined;

  it.each<[string, unknown]>([
    ['SNS', snsEvent([{ message: {} }])],
    ['S3', objects],
  ])('resolve with nothing when they are done, and do not run again: %s', async (_, event) => {
    const b = bench();
    let runs = 0;
    const process = b.processor(() => (runs += 1));
    expect(await process(event)).toBeUndefined();
    const runsOfOne = runs;
    expect(await process(event)).toBeUndefined();
    expect(runs).toBe(runsOfOne);
  });

  it('reject when one of several fails; those that were done do not run again', async () => {
    const b = bench();
    const runs: unknown[] = [];
    const declined = new Error('declined');
    let isBroken = true;
    const process = b.processor((record, context) => {
      const key = keyOf(record, context);
      runs.push(key);
      if (key === 'b' && isBroken) throw declined;
    });
    await expect(process(objects)).rejects.toBe(declined);
    isBroken = false;
    expect(await process(objects)).toBeUndefined();
    expect(runs).toEqual(['a', 'b', 'c', 'b']);
  });

  it('reject when one of several cannot be read; the others are done', async () => {
    const b = bench();
    const runs: unknown[] = [];
    const process = b.processor((record, context) => runs.push(keyOf(record, context)));
    await expect(process({ Records: [...objects.Records, {}] })).rejects.toMatchObject({
      code: 'BATCHLATCH_MALFORMED_RECORD',
    });
    expect(runs).toEqual(['a', 'b', 'c']);
  });

  it('are one work with the same notification in a queue, wrapped by a topic or not', async () => {
    const b = bench();
    let runs = 0;
    const only = s3Event([{ key: 'a', sequencer: '01' }]);
    const inTopic = snsEvent([{ message: only }]);
    await b.processor(() => (runs += 1))(only);
    await b.processor(() => (runs += 1), { decode: s3Envelope() })(sqsEvent([{ body: only }]));
    await b.processor(() => (runs += 1), { decode: s3Envelope() })(inTopic);
    const nested = sqsEvent([{ body: inTopic.Records[0]?.Sns }]);
    expect(
      failed(await b.processor(() => (runs += 1), { decode: [snsEnvelope(), s3Envelope()] })(nested)),
    ).toEqual([]);
    expect(runs).toBe(1);
  });

  it("are acknowledged, and run nothing, when they are S3's test", async () => {
    const b = bench();
    const testEvent = { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'uploads' };
    const mustNotRun: RecordHandler = () => {
      throw new Error('must not run');
    };
    expect(await b.processor(mustNotRun)(testEvent)).toBeUndefined();
    const queued = sqsEvent([{ messageId: 'm', body: testEvent }]);
    expect(failed(await b.processor(mustNotRun, { decode: s3Envelope() })(queued))).toEqual([]);
    expect(b.eventsOf('batchFinished')).toMatchObject([
      { outcomes: { ignored: 1 } },
      { outcomes: { ignored: 1 } },
    ]);
    expect(await b.claim('m')).toBeUndefined();
  });
});

describe('A list of EventBridge Pipes', () => {
  it('of a queue is answered by messageId, and keeps the order of a FIFO queue', async () => {
    const b = bench();
    const messages = ['a1', 'a2', 'b1'].map((id) => ({
      messageId: id,
      body: {},
      messageGroupId: id.charAt(0),
    }));
    const handler: RecordHandler = ({ id }) => {
      if (id === 'a1') throw new Error('declined');
    };
    const answer = await b.processor(handler)(pipesEvent(sqsEvent(messages, { fifo: true })));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'a1' }, { itemIdentifier: 'a2' }] });
  });
});
