import { describe, expect, test } from '@jest/globals';
import { columnOf } from '../../../src/stores/postgres/array-text.ts';

describe('a column as the text of an array', () => {
  test.each([
    [['a', 'b'], '{"a","b"}'],
    [[1, undefined, 2.5], '{1,NULL,2.5}'],
    [[true, false, null], '{true,false,NULL}'],
    [['', 'NULL', '{,}', ' '], '{"","NULL","{,}"," "}'],
    [['"', '\\', '\\"\n'], String.raw`{"\"","\\","\\\"` + '\n"}'],
  ])('%j', (values, text) => {
    expect(columnOf<(typeof values)[number]>(values, (value) => value)).toBe(text);
  });

  test('is empty where all of it is null: the other arrays say how many rows there are', () => {
    expect(columnOf([1, 2, 3], () => undefined)).toBe('{}');
  });
});
