import { describe, expect, it } from '@jest/globals';
import {
  type DecodeStep,
  eventBridgeEnvelope,
  payloadHash,
  type PayloadHashOptions,
  snsEnvelope,
} from 'batchlatch';
import { dynamoDBStreamEvent, eventBridgeEvent, kinesisEvent, snsEvent, sqsEvent } from 'batchlatch/testing';
import { jmesPath } from 'batchlatch/jmespath';
import { canonicalHash, jsonTextHash } from '../../src/keys/canonical-json.ts';
import type { DynamoDBStreamBatchRecord } from '../../src/sources/record.ts';
import { recordOf } from '../support/read-record.ts';

const INEXACT = [
  '1.000000000000000001',
  '-1.000000000000000001',
  '9007199254740993',
  '-9007199254740993',
  '9007199254740993.5',
  '0.30000000000000000001',
  '0.1000000000000000055511151231257827',
  '1e400',
  '-1E+400',
  '1e-400',
  '4.9e-324',
  '123456789012345678e-10',
  '1e99999999999999999999',
];

const EXACT: readonly (readonly [string, unknown])[] = [
  ['1.0', 1],
  ['1e2', 100],
  ['1E+02', 100],
  ['0.1', 0.1],
  ['-0', 0],
  ['-0.0e0', 0],
  ['0e99999', 0],
  ['0.000000000000000000', 0],
  ['1.000000000000000000', 1],
  ['100000000000000000000e-18', 100],
  ['0.00000000000000000012', 1.2e-19],
  ['0.30000000000000004', 0.30000000000000004],
  ['52.374030000000005', 52.374030000000005],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['5e-324', 5e-324],
  ['2.2250738585072014e-308', 2.2250738585072014e-308],
];

describe('A number that a double does not hold apart from others', () => {
  it.each(INEXACT)('gives no payload hash: %s', (literal) => {
    for (const text of [literal, `{"eth":${literal}}`, `[{"a":"\\"1","b":[${literal}]}]`]) {
      expect(() => hashOf(text)).toThrow(
        expect.objectContaining({
          code: 'BATCHLATCH_KEY',
          message: expect.stringMatching(/send it as a string/),
        }),
      );
    }
  });

  it.each(EXACT)('is none of those that differ in how they are written: %s', (literal, value) => {
    expect(hashOf(`{"eth":${literal}}`)).toBe(canonicalHash({ eth: value }));
  });

  it('is named by its path', () => {
    expect(() => hashOf('{"orders":[{"eth":1},{"eth":1.000000000000000001}]}')).toThrow(/`orders\.1\.eth`/);
  });

  it.each<[string, PayloadHashOptions]>([
    ['not included', { include: ['id'] }],
    ['excluded', { exclude: ['trace', 'lines.*.price'] }],
  ])('does no harm where it is %s', (_what, options) => {
    const text = (digit: number): string =>
      `{"id":1,"trace":1.00000000000000000${digit},"lines":[{"price":1e-40${digit}}]}`;
    expect(hashOf(text(1), options)).toBe(hashOf(text(2), options));
    const named = { include: ['id', 'trace'] };
    expect(() => hashOf(text(1), named)).toThrow(/`trace`/);
  });

  it('does no harm inside a text, whatever is escaped there', () => {
    const value = {
      id: '1.000000000000000001',
      note: '\\"1.000000000000000001\\',
      more: '"9007199254740993"',
    };
    expect(hashOf(JSON.stringify(value))).toBe(canonicalHash(value));
    expect(() => hashOf(`{"note":"\\\\","eth":1.000000000000000001}`)).toThrow(/`eth`/);
  });

  it('leaves the body to the handler as JSON.parse gives it', () => {
    const record = recordOf(sqsEvent([{ body: '{"eth":1.000000000000000001}' }]));
    expect(() => payloadHash()(record)).toThrow(/`eth`/);
    expect(record.body).toEqual({ eth: 1 });
  });

  const inner = '{"eth":1.000000000000000001}';
  const event = JSON.stringify(eventBridgeEvent({}, { id: 'e' })).replace('"detail":{}', `"detail":${inner}`);
  const notification = JSON.stringify({ Type: 'Notification', MessageId: 'n', Message: inner });
  it.each<[string, unknown, DecodeStep[]]>([
    ['SNS', snsEvent([{ message: inner }]), []],
    ['Kinesis', kinesisEvent([{ body: inner }]), []],
    ['an event in SQS', sqsEvent([{ body: event }]), [eventBridgeEnvelope()]],
    ['a notification in SQS', sqsEvent([{ body: notification }]), [snsEnvelope()]],
    [
      'a notification in SQS that escapes its digits',
      sqsEvent([{ body: notification.replaceAll('0', String.raw`\u0030`) }]),
      [snsEnvelope()],
    ],
  ])('is refused in what %s delivers', (_what, given, steps) => {
    const record = recordOf(given, ...steps);
    expect(record.body).toEqual({ eth: 1 });
    expect(() => payloadHash()(record)).toThrow(/`eth`/);
  });

  it('is refused in an image of a DynamoDB stream, which has 38 digits', () => {
    const stream = dynamoDBStreamEvent([{ keys: { id: 'A' }, newImage: { id: 'A' } }]);
    const change = stream.Records[0]!.dynamodb!;
    change.NewImage = { ...change.NewImage, eth: { N: '1.000000000000000001' }, usd: { N: '0.10' } };
    const record = recordOf(stream) as DynamoDBStreamBatchRecord;
    expect(record.newImage).toMatchObject({ eth: { value: '1.000000000000000001' }, usd: 0.1 });
    expect(() => payloadHash()(record)).toThrow(/NumberValue.*`newImage\.eth`/);
    expect(payloadHash({ include: ['newImage.usd'] })(record)).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('jmesPath', () => {
  const of = (text: string, expression: string): string =>
    jmesPath(expression)(recordOf(sqsEvent([{ body: text }])));

  it.each([
    'powertools_json(body).eth',
    'powertools_json(body).[id, eth]',
    'powertools_json(body)',
    'to_string(powertools_json(body).eth)',
    'to_string(powertools_json(body))',
    'min(powertools_json(body).[eth, one])',
    'max(powertools_json(body).[eth, one])',
    'powertools_json(body).{id: id, isMore: eth > one}',
    'to_number(to_string(powertools_json(body).eth))',
    'to_number(powertools_json(body).text)',
    'sum(powertools_json(body).[eth, one])',
    'floor(powertools_json(body).eth)',
    'sort_by(powertools_json(body).list, &eth)[0].id',
  ])('gives no key that depends on a number that a double does not hold apart: %s', (expression) => {
    const text = (eth: string): string =>
      `{"id":"A","one":1,"eth":${eth},"text":"${eth}","list":[{"id":"x","eth":${eth}},{"id":"y","eth":1}]}`;
    for (const inexact of ['1.000000000000000001', '0.9999999999999999999']) {
      expect(() => of(text(inexact), expression)).toThrow(
        expect.objectContaining({ code: 'BATCHLATCH_KEY' }),
      );
    }
    expect(of(text('2.50'), expression)).not.toBe('');
  });

  it('is not harmed by one elsewhere', () => {
    expect(of('{"id":"A","eth":1.000000000000000001}', 'powertools_json(body).id')).toBe('A');
    expect(of('{"id":["A"],"eth":1e400}', 'powertools_json(body).id')).toBe(canonicalHash(['A']));
  });

  it('refuses an integer beyond 2^53 as a text, of an event that arrives parsed', () => {
    const event = eventBridgeEvent({ id: 2 ** 53 });
    expect(() => jmesPath('to_string(detail.id)')(recordOf(event))).toThrow(/beyond 2\^53/);
  });
});

describe('jsonTextHash', () => {
  it('is the hash of the value, and refuses what the text says and the value does not', () => {
    expect(jsonTextHash(' {"b":1.0,"a":[]} ')).toBe(canonicalHash({ a: [], b: 1 }));
    expect(() => jsonTextHash('{"eth":1.000000000000000001}')).toThrow(/`eth`/);
    expect(() => jsonTextHash('{"eth":')).toThrow(SyntaxError);
  });
});

function hashOf(text: string, options?: PayloadHashOptions): string {
  return payloadHash(options)(recordOf(sqsEvent([{ body: text }])));
}
