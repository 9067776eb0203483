import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KinesisStreamEvent, SQSEvent } from 'aws-lambda';
import {
  type BatchRecord,
  createBatchProcessor,
  type DecodeStep,
  eventBridgeEnvelope,
  snsEnvelope,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type Ended, runCommand } from './run-command.ts';

describe('generate-event', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-events-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const generate = (args: readonly string[], input = ''): Promise<Ended> =>
    runCommand(['generate-event', ...args], { input });
  async function generated<Event>(args: readonly string[], input?: string): Promise<Event> {
    const { status, out, err } = await generate(args, input);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    return JSON.parse(out) as Event;
  }

  /** The records that a processor reads in an event. */
  async function recordsOf(event: unknown, decode?: DecodeStep): Promise<BatchRecord[]> {
    const records: BatchRecord[] = [];
    const handler = createBatchProcessor((record) => void records.push(record), {
      store: memoryStore(),
      observer: { onEvent: () => undefined },
      ...(decode !== undefined && { decode }),
    });
    await handler(event as SQSEvent);
    return records;
  }

  const ORDERS = '{"orderId":"o-1","n":12345678901234567890}\r\n\n{"orderId":"o-2"}\n"a text"\n';

  it('makes SQS messages of the lines of a file, without changing a digit', async () => {
    const file = path.join(folder, 'orders.jsonl');
    await writeFile(file, `\uFEFF${ORDERS}`);
    const event = await generated<SQSEvent>([
      'sqs',
      '--bodies',
      file,
      '--region',
      'eu-west-1',
      '--account-id',
      '111111111111',
    ]);
    expect(event.Records.map(({ body }) => body)).toEqual([
      '{"orderId":"o-1","n":12345678901234567890}',
      '{"orderId":"o-2"}',
      'a text',
    ]);
    expect(event.Records[0]).toMatchObject({
      eventSourceARN: 'arn:aws:sqs:eu-west-1:111111111111:orders',
      awsRegion: 'eu-west-1',
      attributes: { ApproximateReceiveCount: '1' },
    });
    expect(await recordsOf(event)).toMatchObject([
      { source: 'sqs' },
      { body: { orderId: 'o-2' } },
      { body: 'a text' },
    ]);
  });

  it('makes messages of a FIFO queue, in groups that their bodies name', async () => {
    const event = await generated<SQSEvent>(
      ['sqs', '--bodies', '-', '--fifo', '--queue-name', 'orders', '--group-key', 'customer.id'],
      '{"customer":{"id":"ann"}}\n{"customer":{"id":7}}\n',
    );
    expect(event.Records.map(({ attributes }) => attributes)).toMatchObject([
      {
        MessageGroupId: 'ann',
        MessageDeduplicationId: expect.any(String),
        SequenceNumber: expect.any(String),
      },
      { MessageGroupId: '7' },
    ]);
    expect(event.Records[0]?.eventSourceARN).toMatch(/:orders\.fifo$/);
  });

  it('takes bodies from its arguments, as `sam local generate-event` does', async () => {
    const event = await generated<SQSEvent>([
      'sqs',
      '--body',
      'Hello',
      '--body',
      '{"a":1}',
      '--receive-count',
      '3',
    ]);
    expect(event.Records.map(({ body }) => body)).toEqual(['Hello', '{"a":1}']);
    expect(event.Records[1]?.attributes.ApproximateReceiveCount).toBe('3');
  });

  it.each([
    ['eventbridge', eventBridgeEnvelope(), { source: 'eventbridge', body: { orderId: 'o-1' } }],
    ['sns', snsEnvelope(), { source: 'sns', body: { orderId: 'o-1' } }],
  ])('makes one event of %s, or several inside SQS messages', async (service, envelope, record) => {
    const one = await generated([service, '--bodies', '-'], '{"orderId":"o-1"}\n');
    expect(await recordsOf(one)).toMatchObject([record]);
    const many = await generated(
      [service, '--bodies', '-', '--in-sqs'],
      '{"orderId":"o-1"}\n{"orderId":"o-2"}',
    );
    expect(await recordsOf(many, envelope)).toMatchObject([
      { source: 'sqs', body: { orderId: 'o-1' } },
      { source: 'sqs', body: { orderId: 'o-2' } },
    ]);
    const { status, err } = await generate([service, '--bodies', '-'], '{}\n{}\n');
    expect(status).toBe(2);
    expect(err).toContain('there are 2 bodies: add --in-sqs');
  });

  it('makes Kinesis records, with partition keys of their bodies', async () => {
    const event = await generated<KinesisStreamEvent>(
      ['kinesis', '--bodies', '-', '--stream-name', 'views', '--partition-path', 'user'],
      '{"user":"ann"}\n',
    );
    expect(await recordsOf(event)).toMatchObject([
      { source: 'kinesis', partitionKey: 'ann', body: { user: 'ann' } },
    ]);
    expect(event.Records[0]?.eventSourceARN).toBe('arn:aws:kinesis:us-east-1:123456789012:stream/views');
  });

  it('makes changes of a table of items, and of changes', async () => {
    const puts = await generated(
      ['dynamodb', '--bodies', '-', '--key', 'pk, sk'],
      '{"pk":"a","sk":1,"n":2}\n',
    );
    expect(await recordsOf(puts)).toMatchObject([
      { source: 'dynamodb-stream', body: { eventName: 'INSERT', newImage: { pk: 'a', n: 2 } } },
    ]);
    const removal = await generated(
      ['dynamodb', '--bodies', '-'],
      '{"keys":{"pk":"a"},"oldImage":{"pk":"a"}}\n',
    );
    expect(await recordsOf(removal)).toMatchObject([{ body: { eventName: 'REMOVE' } }]);
  });

  it.each([
    ['no JSON', ['sqs', '--bodies', '-'], '{}\n\n{"a"\n', 1, 'standard input:3 is not JSON'],
    [
      'a missing field',
      ['sqs', '--bodies', '-', '--group-key', 'a.b'],
      '{}\n',
      1,
      'standard input:1 has no text or number at a.b',
    ],
    [
      'a detail that is no object',
      ['eventbridge', '--bodies', '-'],
      '7\n',
      1,
      'standard input:1 is not a JSON object',
    ],
    [
      'a number that would be rounded',
      ['eventbridge', '--bodies', '-'],
      '{"n":12345678901234567890}\n',
      1,
      'standard input:1 has a number with more digits',
    ],
    ['a change without keys', ['dynamodb', '--bodies', '-'], '{}\n', 1, 'standard input:1 has no `keys`'],
    [
      'an item without its key',
      ['dynamodb', '--bodies', '-', '--key', 'pk'],
      '{}\n',
      1,
      'standard input:1 has no key attribute pk',
    ],
    ['no lines', ['sqs', '--bodies', '-'], '\n', 1, 'standard input has no lines'],
    [
      'no file',
      ['sqs', '--bodies', 'no-such.jsonl'],
      '',
      2,
      'The file no-such.jsonl does not exist: check the path',
    ],
    ['no bodies', ['sqs'], '', 2, '--bodies FILE, or --body TEXT'],
    ['two groups', ['sqs', '--body', 'a', '--group-id', 'a', '--group-key', 'b'], '', 2, 'not both'],
  ])('is refused with %s', async (_what, args, input, status, message) => {
    const ended = await generate(args, input);
    expect(ended).toMatchObject({ status, out: '' });
    expect(ended.err).toContain(message);
  });
});
