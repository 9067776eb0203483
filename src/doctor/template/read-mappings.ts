import type { Mapping, MappingKind } from '../model.ts';
import type { Setting } from '../../template/facts.ts';
import { findFunction } from './read-functions.ts';
import { QUEUE_TYPES } from './read-queues.ts';
import {
  type Place,
  placeIn,
  setting,
  type TemplateResource,
  type TemplateResources,
} from '../../template/resources.ts';
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
} from '../../template/values.ts';

/** SAM's types of events that are event source mappings, and the property that names their source. */
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

export function readMappings(resources: TemplateResources): readonly Mapping[] {
  const ofSam = resources
    .ofType('AWS::Serverless::Function')
    .flatMap((lambda) => samMappings(lambda, resources));
  const plain = resources.ofType('AWS::Lambda::EventSourceMapping').flatMap((resource) => {
    const kind = kindOf(resource, resources);
    if (kind === undefined) {
      resources.skipped.push(`${resource.name}: its source is not one that batchlatch reads`);
      return [];
    }
    const functionId = findFunction(resource.value['FunctionName'], resources)?.id;
    return [readMapping(resource, resource, { kind, functionId, source: 'EventSourceArn' }, resources)];
  });
  return [...ofSam, ...plain];
}

function samMappings(lambda: TemplateResource, resources: TemplateResources): readonly Mapping[] {
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
  { id, name, ignore }: TemplateResource,
  place: Place,
  { kind, functionId, source }: { kind: MappingKind; functionId: string | undefined; source: string },
  resources: TemplateResources,
): Mapping {
  const queue = kind === 'sqs' ? resources.find(place.value[source], QUEUE_TYPES) : undefined;
  const sourceText = asText(place.value[source]);
  return {
    id,
    name,
    line: place.line,
    ignore,
    kind,
    functionId,
    source: queue === undefined ? unknownSource(place, source) : { value: queue.id, line: place.line },
    isFifo: sourceText?.endsWith('.fifo') === true,
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
    keepsFailures: setting(place, ['DestinationConfig', 'OnFailure'], () => true, false),
    failureQueue: setting(
      place,
      ['DestinationConfig', 'OnFailure', 'Destination'],
      (value) => resources.find(value, QUEUE_TYPES)?.id,
    ),
    startingPosition: setting(place, ['StartingPosition'], asText),
    tumblingWindowSeconds: setting(place, ['TumblingWindowInSeconds'], asNumber, 0),
    isProvisioned: setting(place, ['ProvisionedPollerConfig'], () => true, false),
    hasMetrics: setting(place, ['MetricsConfig', 'Metrics'], (value) => asList(value).length > 0, false),
  };
}

/** Of a queue that is elsewhere only its name may be known. */
function unknownSource(place: Place, property: string): Setting<string> {
  const text = asText(place.value[property]);
  const why = whyUnknown(place.value[property]) ?? 'it is not in this template';
  return {
    unknown: text === undefined || text.includes('<?>') ? why : `${text} is not in this template`,
    line: place.line,
  };
}

const KIND_OF_TYPE: Readonly<Record<string, MappingKind>> = {
  'AWS::SQS::Queue': 'sqs',
  'AWS::Kinesis::Stream': 'kinesis',
  'AWS::Kinesis::StreamConsumer': 'kinesis',
  'AWS::DynamoDB::Table': 'dynamodb',
  'AWS::DynamoDB::GlobalTable': 'dynamodb',
  'AWS::Serverless::SimpleTable': 'dynamodb',
  'AWS::MSK::Cluster': 'kafka',
  'AWS::MSK::ServerlessCluster': 'kafka',
};

const KIND_OF_SERVICE: Readonly<Record<string, MappingKind>> = {
  sqs: 'sqs',
  kinesis: 'kinesis',
  dynamodb: 'dynamodb',
  kafka: 'kafka',
};

/** By the type of the source, by the service in its ARN, or by the properties that only one kind has. */
function kindOf({ value }: Place, resources: TemplateResources): MappingKind | undefined {
  if (value['SelfManagedEventSource'] !== undefined) return 'kafka';
  const arn: Value = value['EventSourceArn'];
  const type = resources.byId(referenceOf(arn))?.type;
  if (type !== undefined) return Object.hasOwn(KIND_OF_TYPE, type) ? KIND_OF_TYPE[type] : undefined;
  const service = asText(arn)?.split(':')[2] ?? '';
  if (Object.hasOwn(KIND_OF_SERVICE, service)) return KIND_OF_SERVICE[service];
  if (service !== '') return undefined;
  if (value['Topics'] !== undefined) return 'kafka';
  if (value['Queues'] !== undefined || value['DocumentDBEventSourceConfig'] !== undefined) return undefined;
  return value['StartingPosition'] === undefined ? 'sqs' : 'kinesis';
}
