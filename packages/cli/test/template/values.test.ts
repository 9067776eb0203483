import { describe, expect, it } from '@jest/globals';
import {
  asBoolean,
  asList,
  asMembers,
  asNumber,
  asText,
  Composite,
  knownText,
  member,
  Reference,
  referenceOf,
  referencesOf,
  Unknown,
  whyUnknown,
} from '../../src/template/values.ts';

const queue = new Reference('Queue', 'Ref');
const arn = new Reference('Queue', 'Arn');
const here = new Reference('Queue', 'Arn', 'arn:aws:sqs:r:1:q');
const unknown = new Unknown('nobody knows');

describe('a text', () => {
  it.each([
    ['a', 'a'],
    [5, '5'],
    [true, 'true'],
    [queue, '<Queue>'],
    [arn, '<Queue.Arn>'],
    [here, 'arn:aws:sqs:r:1:q'],
    [unknown, '<?>'],
    [new Composite(['a-', arn, unknown]), 'a-<Queue.Arn><?>'],
    [[1], undefined],
    [{ a: 1 }, undefined],
    [undefined, undefined],
  ])('stands for the value %j', (value, text) => {
    expect(asText(value)).toBe(text);
  });

  it('is known if all of its parts are', () => {
    expect(knownText(new Composite(['a-', here]))).toBe('a-arn:aws:sqs:r:1:q');
    expect([knownText(arn), knownText(unknown), knownText(new Composite(['a', arn]))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it.each([
  [5, 5],
  ['5', 5],
  ['-1.5', -1.5],
  ['soon', undefined],
  [queue, undefined],
])('a number may be written as a text: %j', (value, number) => {
  expect(asNumber(value)).toBe(number);
});

it.each([
  ['yes', true],
  ['OFF', false],
  [true, true],
  ['maybe', undefined],
  [1, undefined],
])('a boolean may be written as YAML 1.1 allows: %j', (value, boolean) => {
  expect(asBoolean(value)).toBe(boolean);
});

it('a member is an own one, and what is unknown has only unknown members', () => {
  expect(member({ a: { b: 1 } }, 'a', 'b')).toBe(1);
  expect(member({}, 'constructor')).toBeUndefined();
  expect(member({ a: unknown }, 'a', 'b')).toBe(unknown);
  expect([asMembers(arn), asMembers(unknown), asMembers([1])]).toEqual([undefined, undefined, undefined]);
});

it('a list is itself, one value a list of it, and nothing an empty list', () => {
  expect([asList([1, 2]), asList('a'), asList(undefined), asList(null)]).toEqual([[1, 2], ['a'], [], []]);
});

it('a value refers to one resource, to several, or to none', () => {
  const several = new Composite([queue, '-', new Reference('Table', 'Ref'), arn]);
  expect(referencesOf(several)).toEqual(['Queue', 'Table']);
  expect([referenceOf(several), referenceOf(new Composite(['a:', arn, queue])), referenceOf('a')]).toEqual([
    undefined,
    'Queue',
    undefined,
  ]);
});

it.each([
  [['<', queue, '/index/x'], 'Queue'],
  [['arn:aws:sqs:r:1:', queue], 'Queue'],
  [[queue, '-dead'], undefined],
  [['dead-', queue], undefined],
])('names no resource whose name a text goes on with: %j', (parts, id) => {
  expect(referenceOf(new Composite(parts))).toBe(id);
});

it('says why it, or a part of it, is unknown', () => {
  expect([whyUnknown(unknown), whyUnknown(new Composite(['a', unknown])), whyUnknown(arn)]).toEqual([
    'nobody knows',
    'nobody knows',
    undefined,
  ]);
});
