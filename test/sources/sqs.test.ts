import { describe, expect, it } from '@jest/globals';
import type { SQSRecord } from 'aws-lambda';
import { sqsEvent, type SqsMessage } from 'batchlatch/testing';
import type { BatchRecord } from '../../src/sources/record.ts';
import { itemFailures } from '../../src/sources/answers.ts';
import type { SourceBatch, SourceEntry } from '../../src/sources/source.ts';
import { sqs } from '../../src/sources/sqs.ts';
import { errorIn, recordIn } from '../support/read-record.ts';

describe('an SQS record', () => {
  it('shows what the message says', () => {
    const raw = rawOf({
      messageId: 'm',
      body: { orderId: 'A' },
      receiveCount: 3,
      sentAt: 1_700_000_000_000,
      messageGroupId: 'acme',
      messageAttributes: {
        tenant: { stringValue: 'acme', dataType: 'String' },
        photo: { binaryValue: 'AQID', dataType: 'Binary' },
      },
    });
    expect(shown(recordOf(raw))).toEqual({
      source: 'sqs',
      id: 'm',
      body: { orderId: 'A' },
      rawBody: '{"orderId":"A"}',
      attributes: { tenant: 'acme' },
      receiveCount: 3,
      sentAt: 1_700_000_000_000,
      messageGroupId: 'acme',
      envelope: undefined,
    });
    expect(recordOf(raw).raw).toBe(raw);
  });

  it.each([
    ['{"a":1}', { a: 1 }],
    ['[1]', [1]],
    ['7', 7],
    ['null', null],
    ['"text"', 'text'],
    ['text', 'text'],
    ['{"a":', '{"a":'],
    ['', ''],
  ])('gives the body %j as JSON where it is JSON, else as the text', (body, expected) => {
    expect(recordOf(rawOf({ body })).body).toEqual(expected);
  });

  it('parses its body once, so that what a handler adds to it stays', () => {
    const record = recordOf(rawOf({ body: { orderId: 'A' } }));
    expect(record.body).toBe(record.body);
  });

  it.each([undefined, '', '0', '-1', '1.5', 'x'])('counts a receive count of %j as the first', (count) => {
    const raw = rawOf({ body: {} });
    const attributes = { ...raw.attributes, ApproximateReceiveCount: count, SentTimestamp: count };
    const record = recordOf({ ...raw, attributes } as unknown as SQSRecord);
    expect([record.receiveCount, record.sentAt]).toEqual([1, undefined]);
  });

  it('does without attributes', () => {
    const { attributes: _attributes, messageAttributes: _messageAttributes, ...bare } = rawOf({ body: {} });
    const record = recordOf(bare as SQSRecord);
    expect([record.attributes, record.receiveCount, record.sentAt, record.messageGroupId]).toEqual([
      {},
      1,
      undefined,
      undefined,
    ]);
  });

  it('keeps an attribute whatever its name is', () => {
    const messageAttributes = { ['__proto__']: { stringValue: 'x', dataType: 'String' as const } };
    const { attributes } = recordOf(rawOf({ body: {}, messageAttributes }));
    expect(Object.entries(attributes)).toEqual([['__proto__', 'x']]);
  });
});

describe('a batch of SQS', () => {
  it('is answered record by record, each by its messageId', () => {
    const { entries, answer } = batchOf(
      sqsEvent([
        { messageId: 'a', body: {} },
        { messageId: 'b', body: {} },
      ]).Records,
    );
    expect(answer).toBe(itemFailures);
    expect(entries.map(({ itemIdentifier }) => itemIdentifier)).toEqual(['a', 'b']);
  });

  it('runs the messages of one group in one lane, of a FIFO queue only', () => {
    const messages = ['x', 'y', 'x'].map((messageGroupId) => ({ body: {}, messageGroupId }));
    const lanes = (fifo: boolean): unknown[] =>
      batchOf(sqsEvent(messages, { fifo }).Records).entries.map(({ lane }) => lane);
    expect(lanes(true)).toEqual(['x', 'y', 'x']);
    expect(lanes(false)).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    ['null', null, /has no messageId/],
    ['a text', 'record', /has no messageId/],
    ['nothing', {}, /has no messageId/],
    ['an empty messageId', { messageId: '' }, /has no messageId/],
    ['a messageId that is a number', { messageId: 7 }, /has no messageId/],
    ['another source', { eventSource: 'aws:kinesis' }, /eventSource is "aws:kinesis"/],
    ['no source', { eventSource: undefined }, /eventSource is undefined/],
    ['no body', { body: undefined }, /body is undefined, not a string/],
    ['a null body', { body: null }, /body is null, not a string/],
    ['a parsed body', { body: {} }, /body is object, not a string/],
  ])('fails a record with %s alone, and keeps its place', (_what, members, message) => {
    const [good, other] = sqsEvent([
      { messageId: 'good', body: {} },
      { messageId: 'other', body: {} },
    ]).Records;
    const bad =
      typeof members === 'object' && members !== null && Object.keys(members).length > 0
        ? { ...other, ...members }
        : members;
    const { entries } = batchOf([good, bad, other]);
    expect(entries).toHaveLength(3);
    expect(errorIn(entries[1])).toMatchObject({
      code: 'BATCHLATCH_MALFORMED_RECORD',
      message: expect.stringMatching(message),
    });
    expect([entries[0], entries[2]].map((entry) => 'record' in (entry as SourceEntry).read)).toEqual([
      true,
      true,
    ]);
  });

  it('can name a malformed record that has an id, and puts it into its lane', () => {
    const [raw] = sqsEvent([{ messageId: 'm', body: {}, messageGroupId: 'x' }], { fifo: true }).Records;
    const [entry] = batchOf([{ ...raw, body: undefined }]).entries;
    expect([entry?.itemIdentifier, entry?.lane]).toEqual(['m', 'x']);
  });
});

function batchOf(records: readonly unknown[]): SourceBatch {
  const batch = sqs().read({ Records: records });
  if (batch === undefined) throw new Error('not recognised');
  return batch;
}

function rawOf(message: SqsMessage): SQSRecord {
  return sqsEvent([message]).Records[0] as SQSRecord;
}

function recordOf(raw: SQSRecord): BatchRecord {
  return recordIn(batchOf([raw]).entries[0]);
}

/** The fields are getters, which equality does not look at. */
function shown(record: BatchRecord): unknown {
  const { source, id, body, rawBody, attributes, receiveCount, sentAt, messageGroupId, envelope } = record;
  return { source, id, body, rawBody, attributes, receiveCount, sentAt, messageGroupId, envelope };
}
