import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { PAYLOAD_SIZE } from '../../src/messages/large-bodies.ts';
import { OUTBOX_ID, TYPE, VERSION } from '../../src/messages/message-attributes.ts';
import { type DeadLetter, sendDeadLetter } from '../../src/queues/dead-letter.ts';
import type { SqsClient } from '../../src/queues/sqs-client.ts';

type Sent = Parameters<SqsClient['sendMessage']>[0];

const STANDARD = 'https://sqs.us-east-1.amazonaws.com/123456789012/dead';
const MIB = 1_048_576;

const letter: DeadLetter = {
  body: '{}',
  error: { name: 'PermanentError', message: 'no such customer', code: 'BATCHLATCH_PERMANENT' },
  source: 'arn:aws:sqs:us-east-1:123456789012:orders',
  recordId: 'm-1',
  key: 'shop#v1:m-1',
  attempt: 1,
  messageGroupId: undefined,
  attributes: { tenant: 'acme' },
};

/** What SQS is given. */
async function sentFor(changes: Partial<DeadLetter>, queueUrl = STANDARD): Promise<Sent> {
  const sent: Sent[] = [];
  const client = { sendMessage: async (input: Sent) => void sent.push(input) };
  await sendDeadLetter(client, queueUrl, { ...letter, ...changes });
  expect(sent).toHaveLength(1);
  return sent[0] as Sent;
}

function sizeOf({ MessageBody, MessageAttributes }: Sent): number {
  const parts = Object.entries(MessageAttributes).map(
    ([name, { DataType, StringValue }]) => name + DataType + StringValue,
  );
  return Buffer.byteLength(MessageBody) + Buffer.byteLength(parts.join(''));
}

describe('A dead letter', () => {
  it.each([
    ['of a standard queue, which it needs to be fair', STANDARD],
    ['of a FIFO queue', `${STANDARD}.fifo`],
  ])('keeps its message group in a queue %s', async (_what, queueUrl) => {
    expect(await sentFor({ messageGroupId: 'tenant-7' }, queueUrl)).toMatchObject({
      MessageGroupId: 'tenant-7',
    });
  });

  it('is put into a group of its own by a FIFO queue alone', async () => {
    expect(await sentFor({}, `${STANDARD}.fifo`)).toMatchObject({
      MessageGroupId: expect.stringMatching(/^[0-9a-f]{64}$/),
      MessageDeduplicationId: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await sentFor({})).not.toHaveProperty('MessageGroupId');
  });

  it.each([
    [
      0,
      ['ErrorCode', 'RecordId', 'IdempotencyKey', 'ErrorName', 'Attempt', 'Source', 'ErrorMessage', 'tenant'],
    ],
    [1, ['ErrorCode', 'RecordId', 'IdempotencyKey', 'ErrorName', 'Attempt', 'Source', 'ErrorMessage']],
    [20, ['ErrorCode', 'RecordId', 'IdempotencyKey', 'ErrorName', 'Attempt', 'Source']],
    [210, []],
  ])(
    'goes into the queue with a body that leaves too little room, by %i bytes: without the sender’s attributes first',
    async (missing, names) => {
      const room = sizeOf(await sentFor({})) - letter.body.length;
      const body = 'ä'.repeat((MIB - room) / 2) + 'x'.repeat((MIB - room) % 2) + 'x'.repeat(missing);
      const sent = await sentFor({ body });
      expect(Object.keys(sent.MessageAttributes)).toEqual(names);
      expect(sizeOf(sent)).toBeLessThanOrEqual(MIB);
    },
  );

  it.each([PAYLOAD_SIZE, 'SQSLargePayloadSize', TYPE, VERSION, OUTBOX_ID, 'ce_type', 'ce-type'])(
    'keeps the attribute %s, without which it cannot be processed again, rather than its error',
    async (name) => {
      const attributes = { a: '1', b: '2', c: '3', d: '4', [name]: '5' };
      const needed = { [name]: { DataType: 'String', StringValue: '5' } };
      const { MessageAttributes } = await sentFor({ attributes });
      expect(Object.keys(MessageAttributes)).toHaveLength(10);
      expect(MessageAttributes).toMatchObject({ ErrorMessage: {}, ...needed });
      const body = 'x'.repeat(MIB - Buffer.byteLength(`${name}String5`));
      expect((await sentFor({ body, attributes })).MessageAttributes).toEqual(needed);
    },
  );

  it('keeps what a redrive knows it by, however many such attributes a sender sets', async () => {
    const names = [PAYLOAD_SIZE, 'SQSLargePayloadSize', TYPE, VERSION, OUTBOX_ID, 'ce_type', 'ce-type'];
    const attributes = Object.fromEntries(names.map((name) => [name, '1']));
    const { MessageAttributes } = await sentFor({ attributes });
    expect(MessageAttributes).toMatchObject({ RecordId: {}, ErrorName: {}, Source: {} });
  });

  it('goes into the queue whatever its attributes hold', async () => {
    const refused = 'a\u0000b\uFFFEc\uFFFFd\uD800e\uDC00f\u001Fg';
    const { MessageAttributes } = await sentFor({
      recordId: refused,
      error: { name: 'Error', message: `${'x'.repeat(511)}😀` },
      attributes: { 'detail-type': refused, empty: '', 'AWS.Trace': 'x', 'a..b': 'x', '.a': 'x', ö: 'x' },
    });
    const clean = 'a\uFFFDb\uFFFDc\uFFFDd\uFFFDe\uFFFDf\uFFFDg';
    expect(MessageAttributes).toMatchObject({
      RecordId: { StringValue: clean },
      'detail-type': { StringValue: clean },
      ErrorMessage: { StringValue: `${'x'.repeat(511)}\uFFFD` },
    });
    for (const name of ['empty', 'AWS.Trace', 'a..b', '.a', 'ö'])
      expect(MessageAttributes).not.toHaveProperty([name]);
  });

  it('of JSON with characters that SQS refuses has them escaped: it is the same JSON', async () => {
    const event = { detail: { note: 'a\uFFFE\uFFFFb' } };
    const { MessageBody } = await sentFor({ body: JSON.stringify(event) });
    expect(MessageBody).not.toMatch(/[\uFFFE\uFFFF]/);
    expect(JSON.parse(MessageBody)).toEqual(event);
  });
});
