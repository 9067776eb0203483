import type { KeyAttribute, Table } from '../model.ts';
import type { Setting } from '../../template/facts.ts';
import {
  physicalName,
  type Place,
  placeIn,
  setting,
  type TemplateResource,
  type TemplateResources,
} from '../../template/resources.ts';
import { asBoolean, asList, asText, member, type Value } from '../../template/values.ts';

const TABLE_TYPES: readonly string[] = [
  'AWS::DynamoDB::Table',
  'AWS::DynamoDB::GlobalTable',
  'AWS::Serverless::SimpleTable',
];

export function readTables(resources: TemplateResources): readonly Table[] {
  return resources.ofType(...TABLE_TYPES).map(readTable);
}

function readTable(resource: TemplateResource): Table {
  const { id, name, line, ignore } = resource;
  // A global table has these for each region.
  const ofRegion = resource.type.endsWith('GlobalTable') ? firstReplica(resource) : resource;
  return {
    id,
    name,
    line,
    ignore,
    key: readKey(resource),
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
    regions: resource.type.endsWith('GlobalTable')
      ? setting(resource, ['Replicas'], (replicas) => asList(replicas).length, 1)
      : { value: 1 },
    indexKeys: setting(resource, ['GlobalSecondaryIndexes'], hashKeysOf, []),
    arnTails: [
      `table/<${id}>`,
      ...[physicalName(resource)].flatMap((one) => (one === undefined ? [] : [`table/${one}`])),
    ],
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

/** `Retain`, both when the stack is deleted and when the table is replaced. */
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
