import type { KeyAttribute, Setting } from './model.ts';
import { STREAM_TYPES, TABLE_TYPES, type TemplateResource, type TemplateResources } from './resources.ts';
import { jsonSetting, type Place, placeIn, setting } from './settings.ts';
import type { Stream, TemplateTable } from './template-model.ts';
import { asBoolean, asList, asNumber, asText, member, type Value } from './values.ts';

export function readTables(resources: TemplateResources): readonly TemplateTable[] {
  return resources.ofType(...TABLE_TYPES).map(readTable);
}

/** The initial shards of an on-demand stream. */
const SHARDS_ON_DEMAND = 4;

export function readStreams(resources: TemplateResources): readonly Stream[] {
  return resources.ofType(...STREAM_TYPES).map((resource) => {
    const { id, name, line, ignore } = resource;
    const mode = asText(member(resource.value, 'StreamModeDetails', 'StreamMode'));
    const byDefault = mode === 'ON_DEMAND' ? SHARDS_ON_DEMAND : 1;
    return { id, name, line, ignore, shards: setting(resource, ['ShardCount'], asNumber, byDefault) };
  });
}

function readTable(resource: TemplateResource): TemplateTable {
  const { id, name, line, ignore, physicalName } = resource;
  // A global table sets these per Region.
  const isGlobal = resource.type.endsWith('GlobalTable');
  const ofRegion = isGlobal ? firstReplica(resource) : resource;
  return {
    id,
    name,
    line,
    ignore,
    key: readKey(resource),
    definition: readDefinition(resource),
    streamView: setting(resource, ['StreamSpecification'], (stream) =>
      asText(member(stream, 'StreamViewType')),
    ),
    ttl: setting(resource, ['TimeToLiveSpecification'], () => ({
      attribute: asText(member(resource.value, 'TimeToLiveSpecification', 'AttributeName')),
      isEnabled: setting(resource, ['TimeToLiveSpecification', 'Enabled'], asBoolean, false),
    })),
    hasPointInTimeRecovery: setting(
      ofRegion,
      ['PointInTimeRecoverySpecification', 'PointInTimeRecoveryEnabled'],
      asBoolean,
      false,
    ),
    hasDeletionProtection: setting(ofRegion, ['DeletionProtectionEnabled'], asBoolean, false),
    isRetained: readRetained(resource),
    regions: isGlobal
      ? setting(resource, ['Replicas'], (replicas) => asList(replicas).length, 1)
      : { value: 1 },
    indexKeys: setting(resource, ['GlobalSecondaryIndexes'], hashKeysOf, []),
    isSimple: resource.type === 'AWS::Serverless::SimpleTable',
    isGlobal,
    arnTails: [`<${id}>`, physicalName].flatMap((one) => (one === undefined ? [] : [`table/${one}`])),
  };
}

function firstReplica(resource: TemplateResource): Place {
  const [first] = asList(resource.value['Replicas']);
  return placeIn({ ...resource, value: { Replicas: { 0: first } } }, ['Replicas', '0']);
}

function readKey(resource: TemplateResource): Setting<readonly KeyAttribute[]> {
  if (resource.type === 'AWS::Serverless::SimpleTable') {
    const name = asText(member(resource.value, 'PrimaryKey', 'Name')) ?? 'id';
    const type = asText(member(resource.value, 'PrimaryKey', 'Type')) ?? 'String';
    return { value: [{ name, role: 'HASH', type: type.slice(0, 1) }], line: resource.line };
  }
  const definitions = asList(resource.value['AttributeDefinitions']);
  return setting(resource, ['KeySchema'], (schema) =>
    asList(schema).map((part) => {
      const name = asText(member(part, 'AttributeName')) ?? '';
      const definition = definitions.find((one) => asText(member(one, 'AttributeName')) === name);
      return {
        name,
        role: asText(member(part, 'KeyType')) ?? '',
        type: asText(member(definition, 'AttributeType')),
      };
    }),
  );
}

function readDefinition(resource: TemplateResource): readonly Setting<unknown>[] {
  if (resource.type !== 'AWS::Serverless::SimpleTable') {
    return [
      jsonSetting(resource, ['AttributeDefinitions'], []),
      jsonSetting(resource, ['KeySchema'], []),
      withoutThroughput(jsonSetting(resource, ['GlobalSecondaryIndexes'])),
      jsonSetting(resource, ['LocalSecondaryIndexes']),
    ];
  }
  const [key] = readKey(resource).value ?? [];
  return [
    {
      property: 'AttributeDefinitions',
      value: [{ AttributeName: key?.name, AttributeType: key?.type }],
    },
    { property: 'KeySchema', value: [{ AttributeName: key?.name, KeyType: 'HASH' }] },
  ];
}

/** Drops the throughput, which has no meaning in an emulator. */
function withoutThroughput(indexes: Setting<unknown>): Setting<unknown> {
  if (!Array.isArray(indexes.value) || indexes.value.length === 0) return { ...indexes, value: undefined };
  const value = indexes.value.map((index: unknown) =>
    Object.fromEntries(
      Object.entries(Object(index) as object).filter(([name]) =>
        /^(IndexName|KeySchema|Projection)$/.test(name),
      ),
    ),
  );
  return { ...indexes, value };
}

/** Whether the table is kept both when the stack is deleted and when the table is replaced. */
function readRetained({ attributes, line }: TemplateResource): Setting<boolean> {
  const policies = [attributes['DeletionPolicy'], attributes['UpdateReplacePolicy']].map(asText);
  if (policies.includes('<?>')) return { unknown: 'its DeletionPolicy cannot be told', line };
  const [onDeletion, onReplacement] = policies;
  const keeps = ['Retain', 'RetainExceptOnCreate', 'Snapshot'];
  return { value: keeps.includes(onDeletion ?? '') && onReplacement === 'Retain', line };
}

function hashKeysOf(indexes: Value): readonly string[] {
  return asList(indexes).flatMap((index) =>
    asList(member(index, 'KeySchema'))
      .filter((part) => member(part, 'KeyType') === 'HASH')
      .map((part) => asText(member(part, 'AttributeName')) ?? ''),
  );
}
