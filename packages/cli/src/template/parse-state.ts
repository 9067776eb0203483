import type { Plain, PlainMembers, TemplateSource } from './parse-template.ts';
import { plainMembersOf } from './parse-template.ts';
import { withParts } from './state-parts.ts';

/** A resource in the state of a stack, as `apitype.ResourceV3` of Pulumi has it. */
interface StateResource {
  readonly urn?: string;
  readonly type?: string;
  readonly inputs?: PlainMembers;
  readonly outputs?: PlainMembers;
  readonly retainOnDelete?: boolean;
  readonly protect?: boolean;
}

/** Turns the inputs of a resource of `@pulumi/aws` into a resource of CloudFormation. */
interface Translation {
  readonly type: string;
  properties(inputs: PlainMembers): Readonly<Record<string, Plain | undefined>>;
}

const TRANSLATIONS: Readonly<Record<string, Translation>> = {
  'aws:sqs/queue:Queue': { type: 'AWS::SQS::Queue', properties: queue },
  'aws:sqs/queuePolicy:QueuePolicy': {
    type: 'AWS::SQS::QueuePolicy',
    properties: ({ queueUrl, policy }) => ({ Queues: listOf(queueUrl), PolicyDocument: documentIn(policy) }),
  },
  'aws:dynamodb/table:Table': { type: 'AWS::DynamoDB::Table', properties: table },
  'aws:lambda/function:Function': { type: 'AWS::Lambda::Function', properties: lambda },
  'aws:lambda/eventSourceMapping:EventSourceMapping': {
    type: 'AWS::Lambda::EventSourceMapping',
    properties: mapping,
  },
  'aws:iam/role:Role': { type: 'AWS::IAM::Role', properties: role },
  'aws:iam/rolePolicy:RolePolicy': {
    type: 'AWS::IAM::RolePolicy',
    properties: ({ role: of, policy }) => ({ RoleName: of, PolicyDocument: documentIn(policy) }),
  },
  'aws:iam/policy:Policy': {
    type: 'AWS::IAM::ManagedPolicy',
    properties: ({ name, policy }) => ({ ManagedPolicyName: name, PolicyDocument: documentIn(policy) }),
  },
};

/** Marks a secret in a state; its value is encrypted. */
const SECRET = '4dabf18193072939515e22adb298388d';

/**
 * Reads what `sst state export` or `pulumi stack export` prints, or a state file, as a template. SST compiles
 * to no template: its components run in Pulumi, and the state has what they made. Returns undefined for any
 * other text.
 */
export function parseState({ file, text }: { file: string; text: string }): TemplateSource | undefined {
  const resources = resourcesIn(text);
  if (resources === undefined) return undefined;
  const ids = new Set<string>();
  const entries = resources.flatMap((resource): [string, Plain][] => {
    const { type = '' } = resource;
    const translation = Object.hasOwn(TRANSLATIONS, type) ? TRANSLATIONS[type] : undefined;
    if (translation === undefined) return [];
    // Outputs have the names that AWS was given; a secret among the inputs is a secret there too.
    const given = { ...resource.outputs, ...resource.inputs, name: nameOf(resource) };
    const members = withParts(type, given, resources);
    const isKept = resource.retainOnDelete === true || resource.protect === true;
    return [
      [
        idOf(resource, ids),
        {
          Type: translation.type,
          Properties: withoutAbsent(translation.properties(readable(members) as PlainMembers)),
          ...(isKept && { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' }),
        },
      ],
    ];
  });
  return { file, data: { Resources: Object.fromEntries(entries) }, repeated: [], lineOf: () => undefined };
}

function resourcesIn(text: string): readonly StateResource[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  let state: PlainMembers;
  try {
    state = plainMembersOf(JSON.parse(text) as Plain);
  } catch {
    return undefined;
  }
  const inFile = plainMembersOf(state['checkpoint']);
  for (const place of [state['latest'], state['deployment'], inFile['latest']]) {
    const { resources } = plainMembersOf(place);
    // A resource that waits for its deletion has been replaced already.
    if (Array.isArray(resources)) {
      return (resources as readonly Plain[])
        .filter((resource) => plainMembersOf(resource)['delete'] !== true)
        .map(resourceOf);
    }
  }
  return undefined;
}

/** Returns a resource without members of other types than Pulumi writes. */
function resourceOf(resource: Plain): StateResource {
  const { urn, type, inputs, outputs, retainOnDelete, protect } = plainMembersOf(resource);
  return {
    ...(typeof urn === 'string' && { urn }),
    ...(typeof type === 'string' && { type }),
    inputs: plainMembersOf(inputs),
    outputs: plainMembersOf(outputs),
    retainOnDelete: retainOnDelete === true,
    protect: protect === true,
  };
}

/**
 * Returns the name in the program, which is the last part of the URN, as a logical id. Resources of several
 * types may have one name: those after the first have their type in the id.
 */
function idOf({ urn = '', type = '' }: StateResource, taken: Set<string>): string {
  const name = (urn.split('::').at(-1) ?? '').replaceAll(/[^A-Za-z0-9]/g, '');
  const kind = type.split(':').at(-1) ?? '';
  let id = name;
  for (let number = 1; taken.has(id); number += 1) id = `${name}${kind}${number === 1 ? '' : number}`;
  taken.add(id);
  return id;
}

function nameOf({ inputs = {}, outputs = {} }: StateResource): Plain {
  return outputs['name'] ?? inputs['name'] ?? '';
}

/** Replaces secrets by a reference that nothing resolves, so that they count as unknown. */
function readable(value: Plain): Plain {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => readable(one as Plain));
  const members = value as PlainMembers;
  if (SECRET in members) return { 'Fn::ImportValue': 'a secret' };
  // A member that is null was not given.
  const given = Object.entries(members).filter(([, one]) => one !== null);
  return Object.fromEntries(given.map(([name, one]) => [name, readable(one)]));
}

function withoutAbsent(properties: Readonly<Record<string, Plain | undefined>>): PlainMembers {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  );
}

function listOf(value: Plain | undefined): Plain {
  return value === undefined ? [] : [value];
}

function listIn(value: Plain | undefined): readonly Plain[] {
  return Array.isArray(value) ? (value as readonly Plain[]) : [];
}

/** Policies are JSON texts in the state. */
function documentIn(policy: Plain | undefined): Plain {
  if (typeof policy !== 'string') return policy ?? {};
  try {
    return JSON.parse(policy) as Plain;
  } catch {
    return { 'Fn::ImportValue': 'a policy that is not JSON' };
  }
}

function queue(inputs: PlainMembers): Record<string, Plain | undefined> {
  return {
    QueueName: inputs['name'],
    FifoQueue: inputs['fifoQueue'],
    ContentBasedDeduplication: inputs['contentBasedDeduplication'],
    DeduplicationScope: inputs['deduplicationScope'],
    FifoThroughputLimit: inputs['fifoThroughputLimit'],
    DelaySeconds: inputs['delaySeconds'],
    MaximumMessageSize: inputs['maxMessageSize'],
    MessageRetentionPeriod: inputs['messageRetentionSeconds'],
    ReceiveMessageWaitTimeSeconds: inputs['receiveWaitTimeSeconds'],
    VisibilityTimeout: inputs['visibilityTimeoutSeconds'],
    RedrivePolicy: inputs['redrivePolicy'],
    RedriveAllowPolicy: inputs['redriveAllowPolicy'],
    KmsMasterKeyId: inputs['kmsMasterKeyId'],
    SqsManagedSseEnabled: inputs['sqsManagedSseEnabled'],
  };
}

function table(inputs: PlainMembers): Record<string, Plain | undefined> {
  const { ttl, pointInTimeRecovery, streamEnabled, streamViewType } = inputs;
  const { attributeName, enabled } = plainMembersOf(ttl);
  return {
    TableName: inputs['name'],
    BillingMode: inputs['billingMode'],
    AttributeDefinitions: listIn(inputs['attributes']).map((one) => {
      const { name, type } = plainMembersOf(one);
      return { AttributeName: name ?? null, AttributeType: type ?? null };
    }),
    KeySchema: keysOf(inputs),
    GlobalSecondaryIndexes: listIn(inputs['globalSecondaryIndexes']).map((index) => {
      const members = plainMembersOf(index);
      const projection = { ProjectionType: members['projectionType'] ?? null };
      return { IndexName: members['name'] ?? null, KeySchema: keysOf(members), Projection: projection };
    }),
    TimeToLiveSpecification:
      ttl === undefined ? undefined : { AttributeName: attributeName ?? null, Enabled: enabled ?? true },
    PointInTimeRecoverySpecification: {
      PointInTimeRecoveryEnabled: plainMembersOf(pointInTimeRecovery)['enabled'] ?? false,
    },
    DeletionProtectionEnabled: inputs['deletionProtectionEnabled'],
    StreamSpecification: streamEnabled === true ? { StreamViewType: streamViewType ?? null } : undefined,
  };
}

function keysOf({ hashKey, rangeKey }: PlainMembers): Plain {
  return [
    ...(hashKey === undefined ? [] : [{ AttributeName: hashKey, KeyType: 'HASH' }]),
    ...(rangeKey === undefined ? [] : [{ AttributeName: rangeKey, KeyType: 'RANGE' }]),
  ];
}

function lambda(inputs: PlainMembers): Record<string, Plain | undefined> {
  const reserved = inputs['reservedConcurrentExecutions'];
  return {
    FunctionName: inputs['name'],
    Handler: inputs['handler'],
    Runtime: inputs['runtime'],
    Timeout: inputs['timeout'],
    MemorySize: inputs['memorySize'],
    Role: inputs['role'],
    Environment: inputs['environment'] === undefined ? undefined : variablesOf(inputs['environment']),
    // -1 is no reservation.
    ReservedConcurrentExecutions: typeof reserved === 'number' && reserved >= 0 ? reserved : undefined,
  };
}

function variablesOf(environment: Plain): Plain {
  return { Variables: plainMembersOf(environment)['variables'] ?? {} };
}

function mapping(inputs: PlainMembers): Record<string, Plain | undefined> {
  const { destinationConfig, filterCriteria, scalingConfig, metricsConfig } = inputs;
  const onFailure = plainMembersOf(plainMembersOf(destinationConfig)['onFailure'])['destinationArn'];
  const most = plainMembersOf(scalingConfig)['maximumConcurrency'];
  return {
    EventSourceArn: inputs['eventSourceArn'],
    SelfManagedEventSource: inputs['selfManagedEventSource'],
    ProvisionedPollerConfig: inputs['provisionedPollerConfig'],
    MetricsConfig:
      metricsConfig === undefined ? undefined : { Metrics: plainMembersOf(metricsConfig)['metrics'] ?? [] },
    FunctionName: inputs['functionArn'] ?? inputs['functionName'],
    BatchSize: inputs['batchSize'],
    MaximumBatchingWindowInSeconds: inputs['maximumBatchingWindowInSeconds'],
    FunctionResponseTypes: inputs['functionResponseTypes'],
    ScalingConfig: most === undefined ? undefined : { MaximumConcurrency: most },
    Enabled: inputs['enabled'],
    StartingPosition: inputs['startingPosition'],
    MaximumRetryAttempts: inputs['maximumRetryAttempts'],
    BisectBatchOnFunctionError: inputs['bisectBatchOnFunctionError'],
    MaximumRecordAgeInSeconds: inputs['maximumRecordAgeInSeconds'],
    ParallelizationFactor: inputs['parallelizationFactor'],
    TumblingWindowInSeconds: inputs['tumblingWindowInSeconds'],
    DestinationConfig: onFailure === undefined ? undefined : { OnFailure: { Destination: onFailure } },
    FilterCriteria:
      filterCriteria === undefined
        ? undefined
        : {
            Filters: listIn(plainMembersOf(filterCriteria)['filters']).map((filter) => ({
              Pattern: plainMembersOf(filter)['pattern'] ?? null,
            })),
          },
  };
}

function role(inputs: PlainMembers): Record<string, Plain | undefined> {
  return {
    RoleName: inputs['name'],
    ManagedPolicyArns: inputs['managedPolicyArns'],
    Policies: listIn(inputs['inlinePolicies']).map((policy) => {
      const { name, policy: text } = plainMembersOf(policy);
      return { PolicyName: name ?? null, PolicyDocument: documentIn(text) };
    }),
  };
}
