import { describe, expect, it } from '@jest/globals';
import { parseTemplate, plainMembersOf } from '../../src/template/parse-template.ts';
import { type KnownHere, Resolver } from '../../src/template/resolver.ts';
import { asText, Unknown, type Value, whyUnknown } from '../../src/template/values.ts';

const TEMPLATE = `
Parameters:
  Stage: { Type: String, Default: test }
  Names: { Type: CommaDelimitedList, Default: 'a, b' }
  Secret: { Type: String }
  Image: { Type: 'AWS::SSM::Parameter::Value<String>', Default: /image }
Mappings: { Seconds: { test: { visibility: 60 }, live: { visibility: 190 } } }
Conditions:
  IsTest: !Equals [!Ref Stage, test]
  IsLive: !Not [!Condition IsTest]
  IsHere: !Equals [!Ref AWS::Region, us-east-1]
  InACircle: !Condition InACircle
  IsSecret: !Equals [!Ref Secret, x]
  IsBoth: !And [!Condition IsHere, !Condition IsSecret]
Resources: {}
`;

function resolved(
  text: string,
  { parameters = {}, known }: { parameters?: Record<string, string>; known?: KnownHere } = {},
): Value {
  const template = parseTemplate({ file: 't', text: `${TEMPLATE}\nMetadata: { Value: ${text} }` });
  return new Resolver(template.data, parameters, known).resolve(
    plainMembersOf(template.data['Metadata'])['Value'],
  );
}

describe('a template that is judged', () => {
  it.each([
    ['!Ref Stage', 'test'],
    ['!Ref Names', ['a', 'b']],
    ['!Ref AWS::NoValue', undefined],
    ['{ A: !Ref AWS::NoValue, B: 1 }', { B: 1 }],
    ['!If [IsTest, 60, 190]', 60],
    ['!If [IsLive, 60, 190]', 190],
    ['!If [IsHere, same, same]', 'same'],
    ['!FindInMap [Seconds, !Ref Stage, visibility]', 60],
    ['!FindInMap [Seconds, !Ref Stage, visibility, { DefaultValue: 90 }]', 60],
    ['!FindInMap [Seconds, other, visibility, { DefaultValue: !Ref Stage }]', 'test'],
    ["!Join ['', [6, 0]]", '60'],
    ["!Select [1, !Split [',', '190,60']]", '60'],
    ['!ToJsonString { A: !Ref Stage, B: !Ref AWS::NoValue }', '{"A":"test"}'],
    ['!Base64 orders', 'b3JkZXJz'],
    ["!Sub '${Stage}-${!x}'", 'test-${x}'],
    ["!Sub ['${A}', { A: !Ref Stage }]", 'test'],
  ])('has its functions worked out: %s', (text, value) => {
    expect(resolved(text)).toEqual(value);
  });

  it.each([
    ['!Ref Orders', '<Orders>'],
    ['!GetAtt Orders.Arn', '<Orders.Arn>'],
    [
      "!Sub 'arn:${AWS::Partition}:sqs:${AWS::Region}:1:${Orders.QueueName}'",
      'arn:${AWS.Partition}:sqs:${AWS.Region}:1:<Orders.QueueName>',
    ],
  ])('keeps its references: %s', (text, value) => {
    expect(asText(resolved(text))).toBe(value);
  });

  it.each([
    ['!Ref Secret', 'the parameter Secret has no default'],
    ['!Ref Image', 'the parameter Image is looked up in Parameter Store'],
    ["'{{resolve:ssm:/name}}'", 'it is looked up when it is deployed ({{resolve:…}})'],
    ['!If [IsHere, 60, 190]', 'the condition IsHere cannot be told'],
    ['!If [IsBoth, 60, 190]', 'the condition IsBoth cannot be told: the parameter Secret has no default'],
    ['!If [InACircle, 60, 190]', 'the condition InACircle cannot be told'],
    ['!FindInMap [Seconds, other, visibility]', 'the mapping Seconds cannot be looked up'],
    [
      '!FindInMap [Seconds, !Ref Secret, visibility, { DefaultValue: 90 }]',
      'the mapping Seconds cannot be looked up',
    ],
    [
      '!FindInMap [Seconds, !Ref AWS::Region, visibility, { DefaultValue: 90 }]',
      'the mapping Seconds cannot be looked up',
    ],
    ['!ImportValue Shared', 'Fn::ImportValue cannot be worked out'],
    ["!Sub '${Secret}'", 'the parameter Secret has no default'],
  ])('says why a value is unknown: %s', (text, why) => {
    expect(whyUnknown(resolved(text))).toBe(why);
  });

  it('takes the values of parameters that are given', () => {
    expect(resolved('!If [IsTest, 60, 190]', { parameters: { Stage: 'live' } })).toBe(190);
  });
});

describe('a template that is run', () => {
  const known: KnownHere = {
    pseudoParameters: { 'AWS::Region': 'us-east-1' },
    lookUp: (resource, attribute) => `${resource}:${attribute}`,
    nameOf: (resource) => `shop-${resource}`,
  };

  it.each([
    ['!Ref Orders', 'Orders:Ref'],
    ["!Sub '${Orders.Arn}/x'", 'Orders:Arn/x'],
    ["!Select [1, !Split [':', !GetAtt Orders.Arn]]", 'Arn'],
    ['!If [IsHere, here, there]', 'here'],
  ])('has the values of this machine: %s', (text, value) => {
    expect(asText(resolved(text, { known }))).toBe(value);
  });
});

it('conditions that name each other many times are evaluated once each', () => {
  const names = (name: string): string => Array(10).fill(`!Condition ${name}`).join(', ');
  const { data } = parseTemplate({
    file: 't',
    text: `Conditions: { A: !Or [${names('B')}], B: !Or [${names('A')}] }\nResources: {}`,
  });
  expect(new Resolver(data, {}).condition('A')).toBeUndefined();
});

it('a value that is nested without end is unknown', () => {
  expect(new Resolver({ Resources: {} }, {}).condition('Missing')).toBeUndefined();
  const deep = `${'['.repeat(80)}1${']'.repeat(80)}`;
  expect(JSON.stringify(resolved(deep))).toContain('it is nested too deeply');
});

it('a value given for a parameter of Parameter Store is its value in a local run, and a name in a deployment', () => {
  const template = {
    Parameters: { Image: { Type: 'AWS::SSM::Parameter::Value<List<String>>', Default: '/image' } },
  };
  const given = { Image: 'a,b' };
  const local = new Resolver(template, given, { lookUp: () => '' });
  expect(local.resolve({ Ref: 'Image' })).toEqual(['a', 'b']);
  expect(new Resolver(template, {}, { lookUp: () => '' }).resolve({ Ref: 'Image' })).toBeInstanceOf(Unknown);
  expect(new Resolver(template, given).resolve({ Ref: 'Image' })).toBeInstanceOf(Unknown);
});
