import type { DevQueue } from '../stack.ts';
import type { TemplateResource } from '../../template/resources.ts';
import { asMembers, asText, type Members, type Value } from '../../template/values.ts';
import { booleanOf, QUEUE_TYPES, type Reading, templateError, textOf, withArn } from './reading.ts';

/** Properties that `CreateQueue` takes under the same name. Encryption has no meaning on this machine. */
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

export function readQueues(reading: Reading): readonly DevQueue[] {
  return reading.resources.ofType(...QUEUE_TYPES).map((resource) => readQueue(reading, resource));
}

function readQueue(reading: Reading, resource: TemplateResource): DevQueue {
  const source = { place: resource, name: resource.name };
  const name = reading.names.nameOf(resource.id);
  const isFifo = booleanOf(reading, source, ['FifoQueue'], false);
  if (isFifo !== name.endsWith('.fifo')) {
    const why = isFifo
      ? 'is a FIFO queue, so its name must end in `.fifo`'
      : 'is no FIFO queue, and its name ends in `.fifo`';
    throw templateError(reading, resource.lineOf(['QueueName']), `${resource.name} ${why}`);
  }
  const plain = ATTRIBUTES.flatMap((attribute): [string, string][] => {
    const text = textOf(reading, source, [attribute]);
    return text === undefined ? [] : [[attribute, text]];
  });
  return {
    id: resource.id,
    name,
    arn: reading.names.attribute(resource.id, 'Arn'),
    url: reading.names.attribute(resource.id, 'Ref'),
    attributes: {
      ...Object.fromEntries(plain),
      ...(isFifo ? { FifoQueue: 'true' } : {}),
      ...redrive(reading, resource),
    },
  };
}

function redrive(reading: Reading, resource: TemplateResource): Readonly<Record<string, string>> {
  const value = resource.value['RedrivePolicy'];
  if (value === undefined || value === null) return {};
  const refused = (what: string): Error =>
    templateError(
      reading,
      resource.lineOf(['RedrivePolicy']),
      `the redrive policy of ${resource.name} ${what}`,
    );
  const policy = policyOf(value);
  const target = asText(policy?.['deadLetterTargetArn']);
  const count = Number(asText(policy?.['maxReceiveCount']));
  if (target === undefined) throw refused('has no `deadLetterTargetArn`');
  if (!Number.isInteger(count) || count < 1 || count > 1000) {
    throw refused('must have a `maxReceiveCount` from 1 to 1000');
  }
  const queue = withArn(reading, target, QUEUE_TYPES);
  if (queue === undefined) {
    reading.notes.add(
      `${resource.name} has no dead-letter queue here: ${target} is not in this template. Its messages come again without end.`,
    );
    return {};
  }
  return { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: target, maxReceiveCount: count }) };
}

/** It may be a text of JSON. */
function policyOf(value: Value): Members | undefined {
  if (typeof value !== 'string') return asMembers(value);
  try {
    return asMembers(JSON.parse(value) as Value);
  } catch {
    return undefined;
  }
}
