import { describe, expect, it } from '@jest/globals';
import { eventBridgeEvent, sqsEvent } from 'batchlatch/testing';
import { readEvent } from '../../src/sources/read-event.ts';

describe('readEvent', () => {
  it('recognises SQS batches and EventBridge events', () => {
    expect(readEvent(sqsEvent([{ body: {} }, { body: {} }]), undefined)).toMatchObject({
      answer: 'item-failures',
      entries: [{ read: { record: { source: 'sqs' } } }, { read: { record: { source: 'sqs' } } }],
    });
    expect(readEvent(eventBridgeEvent({}), undefined)).toMatchObject({
      answer: 'all-or-nothing',
      entries: [{ read: { record: { source: 'eventbridge' } } }],
    });
  });

  it('takes a batch without records for an empty one', () => {
    expect(readEvent({ Records: [] }, undefined)).toEqual({ entries: [], answer: 'item-failures' });
  });

  it('takes a batch for that of SQS when one of its records says so; the others fail alone', () => {
    const [good] = sqsEvent([{ body: {} }]).Records;
    const { entries } = readEvent({ Records: [null, good, { eventSource: 'aws:kinesis' }] }, undefined);
    expect(entries.map(({ read }) => Object.keys(read))).toEqual([['error'], ['record'], ['error']]);
  });

  it.each([
    ['nothing', undefined, 'an event that is a undefined'],
    ['null', null, 'an event that is null'],
    ['a text', 'event', 'an event that is a string'],
    ['an empty object', {}, 'an empty event'],
    ['an array', [{}, {}], 'an array of 2 (EventBridge Pipes?)'],
    [
      'an event of API Gateway',
      { httpMethod: 'GET', path: '/', body: null },
      'an event with httpMethod, path, body',
    ],
    [
      'an event of many members',
      Object.fromEntries('abcdefghij'.split('').map((name) => [name, 1])),
      'an event with a, b, c, d, e, f, g, h, …',
    ],
    ['Records that are no array', { Records: 'x' }, 'an event with Records'],
    [
      'a batch of Kinesis',
      { Records: [{ eventSource: 'aws:kinesis' }] },
      'a batch of 1 records with "aws:kinesis"',
    ],
    ['a batch of SNS', { Records: [{ EventSource: 'aws:sns' }] }, 'a batch of 1 records with "aws:sns"'],
    ['a batch of no source', { Records: [{}, null, 7] }, 'a batch of 3 records with no eventSource'],
  ])('refuses %s and says what it got', (_what, event, got) => {
    const read = (): unknown => readEvent(event, undefined);
    expect(read).toThrow(`Cannot read ${got}: batchlatch reads SQS batches and EventBridge events`);
    expect(read).toThrow(expect.objectContaining({ code: 'BATCHLATCH_UNSUPPORTED_EVENT' }));
  });
});
