import { describe, expect, it } from '@jest/globals';
import { modelOf, only } from './model-of.ts';

const tableOf = (type: string, properties: string, more = '') =>
  only(modelOf(`Resources:\n  T:\n    Type: AWS::${type}\n${more}    Properties: ${properties}\n`).tables);

const INDEX = `{ IndexName: overdue, KeySchema: [{ AttributeName: overdueShard, KeyType: HASH }], Projection: { ProjectionType: ALL }, ProvisionedThroughput: { ReadCapacityUnits: 1 } }`;

describe('a table of a template', () => {
  it('has its key, its TTL and its indexes', () => {
    const table = tableOf(
      'DynamoDB::Table',
      `{ TableName: claims, AttributeDefinitions: [{ AttributeName: id, AttributeType: S }], KeySchema: [{ AttributeName: id, KeyType: HASH }],
      TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }, GlobalSecondaryIndexes: [${INDEX}], StreamSpecification: { StreamViewType: NEW_IMAGE } }`,
    );
    expect(table).toMatchObject({
      key: { value: [{ name: 'id', role: 'HASH', type: 'S' }] },
      ttl: { value: { attribute: 'expiresAt', isEnabled: { value: true } } },
      hasPointInTimeRecovery: { value: false },
      isRetained: { value: false },
      regions: { value: 1 },
      indexKeys: { value: ['overdueShard'] },
      streamView: { value: 'NEW_IMAGE' },
      arnTails: ['table/<T>', 'table/claims'],
    });
  });

  it('is defined as `CreateTable` takes it, without throughput', () => {
    const { definition } = tableOf('DynamoDB::Table', `{ GlobalSecondaryIndexes: [${INDEX}] }`);
    expect(definition.map(({ property, value }) => [property, value])).toEqual([
      ['AttributeDefinitions', []],
      ['KeySchema', []],
      [
        'GlobalSecondaryIndexes',
        [
          {
            IndexName: 'overdue',
            KeySchema: [{ AttributeName: 'overdueShard', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      ],
      ['LocalSecondaryIndexes', undefined],
    ]);
  });

  it('that is simple has one key of one attribute', () => {
    const table = tableOf('Serverless::SimpleTable', '{ PrimaryKey: { Name: key, Type: Number } }');
    expect(table.key.value).toEqual([{ name: 'key', role: 'HASH', type: 'N' }]);
    expect(table.definition.map(({ value }) => value)).toEqual([
      [{ AttributeName: 'key', AttributeType: 'N' }],
      [{ AttributeName: 'key', KeyType: 'HASH' }],
    ]);
  });

  it('that is global has its protection in its first replica', () => {
    const replica = '{ DeletionProtectionEnabled: true }';
    expect(tableOf('DynamoDB::GlobalTable', `{ Replicas: [${replica}, {}] }`)).toMatchObject({
      regions: { value: 2 },
      hasDeletionProtection: { value: true },
    });
  });

  it.each([
    ['Retain', 'Retain', true],
    ['Snapshot', 'Retain', true],
    ['Retain', 'Delete', false],
    ['!Ref Gone', 'Retain', false],
  ])('is retained or not: %s, %s', (onDeletion, onReplacement, isRetained) => {
    const more = `    DeletionPolicy: ${onDeletion}\n    UpdateReplacePolicy: ${onReplacement}\n`;
    expect(tableOf('DynamoDB::Table', '{}', more).isRetained?.value).toBe(isRetained);
  });
});

it.each([
  ['{ ShardCount: 2 }', 2],
  ['{ StreamModeDetails: { StreamMode: ON_DEMAND } }', 4],
  ['{}', 1],
])('a stream has shards: %s', (properties, shards) => {
  const text = `Resources: { S: { Type: AWS::Kinesis::Stream, Properties: ${properties} } }`;
  expect(only(modelOf(text).streams).shards.value).toBe(shards);
});
