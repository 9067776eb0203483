import type { Redrive, RedriveAllow, Setting } from './model.ts';
import { QUEUE_TYPES, type TemplateResource, type TemplateResources } from './resources.ts';
import { setting } from './settings.ts';
import type { TemplateQueue } from './template-model.ts';
import {
  asBoolean,
  asList,
  asMembers,
  asNumber,
  asText,
  member,
  type Members,
  type Value,
} from './values.ts';

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queue.html */
const DEFAULT_VISIBILITY_SECONDS = 30;
const DEFAULT_RETENTION_SECONDS = 345_600;

/** Properties with the same name in `CreateQueue`, without encryption. */
const ATTRIBUTES = [
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'DelaySeconds',
  'FifoThroughputLimit',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'VisibilityTimeout',
] as const;

export function readQueues(resources: TemplateResources): readonly TemplateQueue[] {
  return resources.ofType(...QUEUE_TYPES).map((resource) => readQueue(resource, resources));
}

function readQueue(resource: TemplateResource, resources: TemplateResources): TemplateQueue {
  const { id, name, line, ignore, physicalName, value } = resource;
  return {
    id,
    name,
    line,
    ignore,
    isFifo: asText(value['QueueName'])?.endsWith('.fifo')
      ? { value: true }
      : setting(resource, ['FifoQueue'], asBoolean, false),
    fifoQueue: setting(resource, ['FifoQueue'], asBoolean, false),
    attributes: ATTRIBUTES.map((attribute) => setting(resource, [attribute], asText)),
    visibilitySeconds: setting(resource, ['VisibilityTimeout'], asNumber, DEFAULT_VISIBILITY_SECONDS),
    retentionSeconds: setting(resource, ['MessageRetentionPeriod'], asNumber, DEFAULT_RETENTION_SECONDS),
    redrive: setting(resource, ['RedrivePolicy'], (policy) =>
      readRedrive(jsonOf(policy), resource, resources),
    ),
    redriveAllow: setting(resource, ['RedriveAllowPolicy'], (policy) => readAllow(jsonOf(policy), resources)),
    isEncrypted: readEncryption(resource),
    requiresTls: readTls(resource, resources),
    arnTails: [`<${id}.QueueName>`, physicalName].filter((tail) => tail !== undefined),
  };
}

/** Parses a policy that may be a JSON text. */
function jsonOf(value: Value): Members {
  const text = asText(value);
  if (text === undefined) return asMembers(value) ?? {};
  try {
    return asMembers(JSON.parse(text) as Value) ?? {};
  } catch {
    return {};
  }
}

function readRedrive(policy: Members, resource: TemplateResource, resources: TemplateResources): Redrive {
  const place = {
    value: policy,
    line: resource.lineOf(['RedrivePolicy']),
    lineOf: (path: readonly string[]) => resource.lineOf(['RedrivePolicy', ...path]),
  };
  return {
    target: resources.find(policy['deadLetterTargetArn'], QUEUE_TYPES)?.id,
    targetArn: asText(policy['deadLetterTargetArn']),
    maxReceiveCount: setting(place, ['maxReceiveCount'], asNumber),
  };
}

function readAllow(policy: Members, resources: TemplateResources): RedriveAllow {
  return {
    permission: asText(policy['redrivePermission']) ?? 'allowAll',
    sources: asList(policy['sourceQueueArns']).map((arn) => resources.find(arn, QUEUE_TYPES)?.id),
  };
}

/** SQS encrypts by default. */
function readEncryption(resource: TemplateResource): Setting<boolean> {
  if (resource.value['KmsMasterKeyId'] !== undefined) return { value: true };
  return setting(resource, ['SqsManagedSseEnabled'], asBoolean, true);
}

function readTls(queue: TemplateResource, resources: TemplateResources): Setting<boolean> {
  const policies = resources
    .ofType('AWS::SQS::QueuePolicy', 'AWS::SQS::QueueInlinePolicy')
    .filter(({ value }) =>
      [...asList(value['Queues']), ...asList(value['Queue'])].some(
        (one) => resources.find(one, QUEUE_TYPES)?.id === queue.id,
      ),
    );
  return { value: policies.some(({ value }) => deniesPlainText(value['PolicyDocument'])), line: queue.line };
}

/** Whether a policy document denies requests without TLS. */
export function deniesPlainText(document: Value): boolean {
  return asList(member(document, 'Statement')).some((statement) => {
    const conditions = Object.values(asMembers(member(statement, 'Condition')) ?? {});
    return (
      member(statement, 'Effect') === 'Deny' &&
      conditions.some((condition) => asBoolean(asText(member(condition, 'aws:SecureTransport'))) === false)
    );
  });
}
