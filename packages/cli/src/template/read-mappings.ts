import type { MappingKind, Setting } from './model.ts';
import { readOnFailure } from './read-asynchronous.ts';
import {
  QUEUE_TYPES,
  STREAM_TYPES,
  TABLE_TYPES,
  type TemplateResource,
  type TemplateResources,
} from './resources.ts';
import { type Place, placeIn, setting } from './settings.ts';
import type { TemplateMapping } from './template-model.ts';
import {
  asBoolean,
  asList,
  asMembers,
  asNumber,
  asText,
  member,
  referenceOf,
  type Value,
  whyUnknown,
} from './values.ts';

/** The SAM event types that create event source mappings, with the property of their source. */
const SAM_EVENTS: Readonly<Record<string, { readonly kind: MappingKind; readonly source: string }>> = {
  SQS: { kind: 'sqs', source: 'Queue' },
  Kinesis: { kind: 'kinesis', source: 'Stream' },
  DynamoDB: { kind: 'dynamodb', source: 'Stream' },
  MSK: { kind: 'kafka', source: 'Stream' },
  SelfManagedKafka: { kind: 'kafka', source: 'KafkaBootstrapServers' },
};

/** https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html */
const DEFAULT_BATCH_SIZE: Readonly<Record<MappingKind, number>> = {
  sqs: 10,
  kinesis: 100,
  dynamodb: 100,
  kafka: 100,
};
const UNLIMITED = -1;

const CONSUMER = 'AWS::Kinesis::StreamConsumer';
const SOURCE_TYPES: Readonly<Record<MappingKind, readonly string[]>> = {
  sqs: QUEUE_TYPES,
  kinesis: [...STREAM_TYPES, CONSUMER],
  dynamodb: TABLE_TYPES,
  kafka: ['AWS::MSK::Cluster', 'AWS::MSK::ServerlessCluster'],
};
/** Types of resources whose outputs may be the ARN of any source. */
const OF_ANY_SOURCE = new RegExp(
  [
    '^AWS::CloudFormation::(Stack|CustomResource)$',
    '^AWS::(Serverless::Application|SSM::Parameter)$',
    '^Custom::',
  ].join('|'),
);
const KINDS: readonly MappingKind[] = ['sqs', 'kinesis', 'dynamodb', 'kafka'];

export function readMappings(resources: TemplateResources): readonly TemplateMapping[] {
  const ofSam = resources
    .ofType('AWS::Serverless::Function')
    .flatMap((lambda) => samMappings(lambda, resources));
  const plain = resources.ofType('AWS::Lambda::EventSourceMapping').flatMap((resource) => {
    const kind = kindOf(resource, resources);
    if (kind === undefined) {
      resources.skipped.push(`${resource.name}: its source is not one that batchlatch reads`);
      return [];
    }
    const functionId = resources.findFunction(resource.value['FunctionName'])?.id;
    return [readMapping(resource, resource, { kind, functionId, source: 'EventSourceArn' }, resources)];
  });
  return [...ofSam, ...plain];
}

function samMappings(lambda: TemplateResource, resources: TemplateResources): readonly TemplateMapping[] {
  return Object.entries(asMembers(lambda.value['Events']) ?? {}).flatMap(([name, event]) => {
    const type = asText(member(event, 'Type')) ?? '';
    const known = Object.hasOwn(SAM_EVENTS, type) ? SAM_EVENTS[type] : undefined;
    if (known === undefined) return [];
    const place = placeIn(lambda, ['Events', name, 'Properties'], ['Events', name]);
    const named = { ...lambda, name: `${lambda.name}, event ${name}`, id: `${lambda.id}.${name}` };
    return [readMapping(named, place, { ...known, functionId: lambda.id }, resources)];
  });
}

function readMapping(
  { id, name, ignore, condition }: TemplateResource,
  place: Place,
  { kind, functionId, source }: { kind: MappingKind; functionId: string | undefined; source: string },
  resources: TemplateResources,
): TemplateMapping {
  const named = resources.find(place.value[source], SOURCE_TYPES[kind]);
  const hasConsumer = named?.type === CONSUMER;
  const found = hasConsumer ? resources.find(named.value['StreamARN'], STREAM_TYPES) : named;
  const sourceText = asText(place.value[source]);
  return {
    id,
    name,
    line: place.line,
    ignore,
    kind,
    functionId,
    logicalId: id.replace('.', ''),
    source: found === undefined ? unknownSource(place, source) : { value: found.id, line: place.line },
    sourceArn: setting(place, [source], asText, ''),
    hasConsumer,
    // Also the end of a name may be unknown: `…:orders-<?>`.
    isFifo: sourceText === undefined || sourceText.endsWith('>') ? undefined : sourceText.endsWith('.fifo'),
    responseTypes: setting(
      place,
      ['FunctionResponseTypes'],
      (value) => asList(value).map((one) => asText(one) ?? ''),
      [],
    ),
    batchSize: setting(place, ['BatchSize'], asNumber, DEFAULT_BATCH_SIZE[kind]),
    windowSeconds: setting(place, ['MaximumBatchingWindowInSeconds'], asNumber, 0),
    maximumConcurrency: setting(place, ['ScalingConfig', 'MaximumConcurrency'], asNumber),
    retries: setting(place, ['MaximumRetryAttempts'], asNumber, UNLIMITED),
    bisects: setting(place, ['BisectBatchOnFunctionError'], asBoolean, false),
    onFailure: readOnFailure(place, resources),
    startingPosition: setting(place, ['StartingPosition'], asText),
    tumblingWindowSeconds: setting(place, ['TumblingWindowInSeconds'], asNumber, 0),
    isProvisioned: setting(place, ['ProvisionedPollerConfig'], () => true, false),
    isEnabled: setting(place, ['Enabled'], asBoolean, true),
    condition,
    filters: readFilters(place),
    maximumRecordAgeSeconds: setting(place, ['MaximumRecordAgeInSeconds'], asNumber, UNLIMITED),
    parallelizationFactor: setting(place, ['ParallelizationFactor'], asNumber, 1),
    hasMetrics: setting(place, ['MetricsConfig', 'Metrics'], (value) => asList(value).length > 0, false),
  };
}

function readFilters(place: Place): readonly Setting<string>[] {
  const path = ['FilterCriteria'];
  return asList(member(place.value, ...path, 'Filters')).map((filter) =>
    setting({ ...place, value: { FilterCriteria: filter } }, [...path, 'Pattern'], asText, ''),
  );
}

/** A source outside the template is unknown, but may have a name. */
function unknownSource(place: Place, property: string): Setting<string> {
  const text = asText(place.value[property]);
  const why = whyUnknown(place.value[property]) ?? 'it is not in this template';
  return {
    unknown: text === undefined || text.includes('<?>') ? why : `${text} is not in this template`,
    line: place.line,
  };
}

/** Finds the kind by the source's type, by the service in its ARN, or by properties of a single kind. */
function kindOf({ value }: Place, resources: TemplateResources): MappingKind | undefined {
  if (value['SelfManagedEventSource'] !== undefined) return 'kafka';
  const arn: Value = value['EventSourceArn'];
  const type = resources.byId(referenceOf(arn))?.type;
  if (type !== undefined && !OF_ANY_SOURCE.test(type)) {
    return KINDS.find((kind) => SOURCE_TYPES[kind].includes(type));
  }
  const service = asText(arn)?.split(':')[2] ?? '';
  if (service !== '') return KINDS.find((kind) => kind === service);
  if (value['Topics'] !== undefined) return 'kafka';
  if (value['Queues'] !== undefined || value['DocumentDBEventSourceConfig'] !== undefined) return undefined;
  return value['StartingPosition'] === undefined ? 'sqs' : 'kinesis';
}
