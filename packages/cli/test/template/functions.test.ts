import { describe, expect, it } from '@jest/globals';
import { base64, composed, logical, select, split, toJsonText } from '../../src/template/functions.ts';
import { asText, Composite, Reference, Unknown, whyUnknown } from '../../src/template/values.ts';

const arn = new Reference('Queue', 'Arn');
const unknown = new Unknown('nobody knows');

describe('parts', () => {
  it('are one text if all are known, and stay parts if one is not', () => {
    expect(composed(['a', 5, true])).toBe('a5true');
    expect(composed(['', arn])).toBe(arn);
    expect(composed(['a', arn])).toEqual(new Composite(['a', arn]));
    expect(composed(['a', new Composite(['b', arn])])).toEqual(new Composite(['a', 'b', arn]));
    expect(asText(composed(['a', [1]]))).toBe('a<?>');
  });
});

describe('selecting and splitting', () => {
  it('give what is there, and are unknown otherwise', () => {
    expect(select(['1', ['a', 'b']])).toBe('b');
    expect(select([2, ['a', 'b']])).toBeInstanceOf(Unknown);
    expect(select([0, unknown])).toBe(unknown);
    expect(split([':', 'a:b'])).toEqual(['a', 'b']);
    expect(split([':', arn])).toBeInstanceOf(Unknown);
    expect(split([':', new Reference('Queue', 'Arn', 'arn:aws:sqs')])).toEqual(['arn', 'aws', 'sqs']);
  });
});

it('Base64 is of a text alone', () => {
  expect(base64('orders')).toBe('b3JkZXJz');
  expect(base64(unknown)).toBe(unknown);
  expect(base64([1])).toBeInstanceOf(Unknown);
});

it('JSON is of any value, with references and unknown values as its parts', () => {
  expect(toJsonText({ a: [1, true, null, 'x"y'], b: {} })).toBe('{"a":[1,true,null,"x\\"y"],"b":{}}');
  expect(toJsonText({ to: new Reference('Queue', 'Arn', 'arn:aws:sqs') })).toEqual(
    new Composite(['{', '"to":', '"', new Reference('Queue', 'Arn', 'arn:aws:sqs'), '"', '}']),
  );
  expect(asText(toJsonText({ to: new Composite(['a"', arn]), n: 1 }))).toBe('{"to":"a\\"<Queue.Arn>","n":1}');
  expect(whyUnknown(toJsonText({ a: [unknown] }))).toBe('nobody knows');
});

describe('a condition', () => {
  it.each([
    ['Fn::Equals', ['a', 'a'], true],
    ['Fn::Equals', ['a', 'b'], false],
    ['Fn::Equals', ['a', '${AWS.Region}'], undefined],
    ['Fn::Equals', ['a', unknown], undefined],
    ['Fn::Not', [true], false],
    ['Fn::Not', [unknown], undefined],
    ['Fn::And', [true, true], true],
    ['Fn::And', [unknown, false], false],
    ['Fn::And', [unknown, true], undefined],
    ['Fn::Or', [unknown, true], true],
    ['Fn::Or', [false, false], false],
    ['Fn::Or', [unknown, false], undefined],
    ['Fn::ImportValue', ['x'], undefined],
  ])('%s of %j is %s', (name, values, expected) => {
    const found = logical(name, values);
    expect(found instanceof Unknown ? undefined : found).toBe(expected);
  });
});
