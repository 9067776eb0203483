import { describe, expect, it } from '@jest/globals';
import { jsonSetting, placeIn, setting } from '../../src/template/settings.ts';
import { asMembers, asNumber, asText } from '../../src/template/values.ts';
import { only, resourcesOf } from './model-of.ts';

const resource = only(
  resourcesOf(`Parameters: { P: { Type: Number } }
Resources:
  A:
    Type: T
    Properties:
      Number: '5'
      Text: [1]
      Unknown: !Ref P
      Inner:
        Deep: !Ref B
        Empty:
      List: [{ a: !Ref B }, { b: !Ref P }]
`).all,
);

describe('a setting', () => {
  it('has its value, its name and its line', () => {
    expect(setting(resource, ['Number'], asNumber)).toEqual({ value: 5, property: 'Number', line: 6 });
    expect(setting(resource, ['Inner', 'Deep'], asText)).toEqual({
      value: '<B>',
      property: 'Inner.Deep',
      line: 10,
    });
  });

  it.each([['Missing'], ['Inner.Empty'], ['Missing.Deep']])('that is not set has its default: %s', (path) => {
    expect(setting(resource, path.split('.'), asNumber, 3)).toEqual({ value: 3, property: path, line: 3 });
  });

  it('that is not known, or is of a wrong type, says so', () => {
    expect(setting(resource, ['Unknown'], asNumber)).toEqual({
      unknown: 'the parameter P has no default',
      property: 'Unknown',
      line: 8,
    });
    expect(setting(resource, ['Text'], asNumber)).toMatchObject({
      unknown: 'it must be a number',
      isInvalid: true,
      line: 7,
    });
    expect(setting(resource, ['Text'], asMembers).unknown).toBe('it must be a mapping');
    expect(setting(resource, ['Text'], () => undefined).unknown).toBe('its value is not understood');
  });

  it('as JSON is unknown if a part of it is', () => {
    expect(jsonSetting(resource, ['Inner']).value).toEqual({ Deep: '<B>', Empty: null });
    expect(jsonSetting(resource, ['List'])).toEqual({
      unknown: 'the parameter P has no default',
      property: 'List',
      line: 12,
    });
    expect(jsonSetting(resource, ['Missing'], []).value).toEqual([]);
  });
});

it('a part of a place names its own lines', () => {
  const inner = placeIn(resource, ['Inner']);
  expect([inner.line, inner.lineOf(['Deep'])]).toEqual([9, 10]);
  expect(setting(inner, ['Deep'], asText)).toMatchObject({ value: '<B>', property: 'Deep', line: 10 });
  expect(placeIn(resource, ['Missing'], ['Number'])).toMatchObject({ value: {}, line: 6 });
  // The whole part may depend on a condition.
  expect(setting(placeIn(resource, ['Unknown']), ['Deep'], asText, 'a default')).toMatchObject({
    unknown: 'the parameter P has no default',
    line: 8,
  });
});

it.each([
  ['alone', 'Properties: !Transform { Name: AWS::Include }', 'Fn::Transform may set it'],
  [
    'beside others',
    'Properties: { Number: 5, Fn::Transform: { Name: AWS::Include } }',
    'Fn::Transform may set it',
  ],
  ['not at all', 'Properties: { Number: 5 }', undefined],
])(
  'a setting that is not there is unknown where a macro makes properties, %s',
  (_where, properties, unknown) => {
    const included = only(resourcesOf(`Resources:\n  A:\n    Type: T\n    ${properties}\n`).all);
    expect(setting(included, ['Other'], asNumber, 3).unknown).toBe(unknown);
  },
);
