import type { DevStream, DevTable } from '../stack.ts';
import type { TemplateResource } from '../../template/resources.ts';
import { asList, asMembers, member, type Value } from '../../template/values.ts';
import {
  booleanOf,
  neededText,
  numberOf,
  plainOf,
  type Reading,
  type Source,
  TABLE_TYPES,
  textOf,
} from './reading.ts';

/** How many shards a stream on demand begins with. */
const SHARDS_ON_DEMAND = 4;

export function readTables(reading: Reading): readonly DevTable[] {
  return reading.resources.ofType(...TABLE_TYPES).map((resource) => readTable(reading, resource));
}

export function readStreams(reading: Reading): readonly DevStream[] {
  return reading.resources.ofType('AWS::Kinesis::Stream').map((resource) => {
    const source = { place: resource, name: resource.name };
    const mode = textOf(reading, source, ['StreamModeDetails', 'StreamMode']);
    return {
      id: resource.id,
      name: reading.names.nameOf(resource.id),
      arn: reading.names.attribute(resource.id, 'Arn'),
      shards: numberOf(reading, source, ['ShardCount'], mode === 'ON_DEMAND' ? SHARDS_ON_DEMAND : 1),
    };
  });
}

function readTable(reading: Reading, resource: TemplateResource): DevTable {
  const source = { place: resource, name: resource.name };
  const name = reading.names.nameOf(resource.id);
  const isSimple = resource.type === 'AWS::Serverless::SimpleTable';
  return {
    id: resource.id,
    name,
    arn: reading.names.attribute(resource.id, 'Arn'),
    // Throughput costs nothing on this machine, and limits nothing.
    definition: {
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      ...(isSimple ? simpleKey(reading, source) : keysAndIndexes(reading, source)),
    },
    timeToLiveAttribute: booleanOf(reading, source, ['TimeToLiveSpecification', 'Enabled'], false)
      ? neededText(reading, source, ['TimeToLiveSpecification', 'AttributeName'])
      : undefined,
  };
}

/** `AWS::Serverless::SimpleTable` has one key of one attribute. */
function simpleKey(reading: Reading, source: Source): Readonly<Record<string, unknown>> {
  const name = textOf(reading, source, ['PrimaryKey', 'Name'], 'id');
  const type = textOf(reading, source, ['PrimaryKey', 'Type'], 'String').charAt(0);
  return {
    AttributeDefinitions: [{ AttributeName: name, AttributeType: type }],
    KeySchema: [{ AttributeName: name, KeyType: 'HASH' }],
  };
}

function keysAndIndexes(reading: Reading, source: Source): Readonly<Record<string, unknown>> {
  const { value } = source.place;
  const indexes = asList(value['GlobalSecondaryIndexes']).map((index) => withoutThroughput(index));
  const view = textOf(reading, source, ['StreamSpecification', 'StreamViewType']);
  return {
    AttributeDefinitions: plain(reading, source, 'AttributeDefinitions'),
    KeySchema: plain(reading, source, 'KeySchema'),
    ...(indexes.length === 0
      ? {}
      : { GlobalSecondaryIndexes: plainOf(reading, source, ['GlobalSecondaryIndexes'], indexes) }),
    ...(value['LocalSecondaryIndexes'] === undefined
      ? {}
      : { LocalSecondaryIndexes: plain(reading, source, 'LocalSecondaryIndexes') }),
    ...(view === undefined ? {} : { StreamSpecification: { StreamEnabled: true, StreamViewType: view } }),
  };
}

function plain(reading: Reading, source: Source, property: string): unknown {
  return plainOf(reading, source, [property], source.place.value[property] ?? []);
}

function withoutThroughput(index: Value): Value {
  const kept = ['IndexName', 'KeySchema', 'Projection'];
  if (asMembers(index) === undefined) return index;
  return Object.fromEntries(
    kept.map((name) => [name, member(index, name)]).filter(([, value]) => value !== undefined),
  );
}
