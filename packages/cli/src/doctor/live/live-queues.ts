import type { Queue, Redrive, RedriveAllow, Setting } from '../../template/model.ts';
import { deniesPlainText } from '../../template/read-queues.ts';
import type { Value } from '../../template/values.ts';
import type { SqsReader } from './clients.ts';
import type { LiveReading } from './live-reading.ts';

const PERMISSION = 'sqs:GetQueueAttributes';

/** Reads a queue and its dead-letter queue. */
export async function readLiveQueue(
  sqs: SqsReader,
  queueUrl: string,
  reading: LiveReading,
): Promise<readonly Queue[]> {
  const attributes = await reading.named(`queue ${queueUrl}`, PERMISSION, () => attributesOf(sqs, queueUrl));
  if (attributes === undefined) return [];
  const queue = queueOf(attributes);
  const target =
    attributes['RedrivePolicy'] === undefined ? undefined : targetArn(attributes['RedrivePolicy']);
  const deadLetters = target === undefined ? undefined : await readByArn(sqs, target, reading);
  return deadLetters === undefined ? [queue] : [queue, deadLetters];
}

/** Reads a queue, by its ARN, and its dead-letter queue; empty if it cannot be read. */
export async function readLiveQueueOfArn(
  sqs: SqsReader,
  arn: string,
  reading: LiveReading,
): Promise<readonly Queue[]> {
  const url = await urlOf(sqs, arn, reading);
  return url === undefined ? [] : readLiveQueue(sqs, url, reading);
}

async function readByArn(sqs: SqsReader, arn: string, reading: LiveReading): Promise<Queue | undefined> {
  const url = await urlOf(sqs, arn, reading);
  if (url === undefined) return undefined;
  const attributes = await reading.optional(`dead-letter queue ${arn}`, PERMISSION, () =>
    attributesOf(sqs, url),
  );
  return attributes === undefined ? undefined : queueOf(attributes);
}

async function urlOf(sqs: SqsReader, arn: string, reading: LiveReading): Promise<string | undefined> {
  const [, , , , account = '', name = ''] = arn.split(':');
  const found = await reading.optional(`queue ${arn}`, 'sqs:GetQueueUrl', () =>
    sqs.getQueueUrl({
      QueueName: name,
      ...(/^\d{12}$/.test(account) && { QueueOwnerAWSAccountId: account }),
    }),
  );
  return found?.QueueUrl;
}

async function attributesOf(sqs: SqsReader, QueueUrl: string): Promise<Readonly<Record<string, string>>> {
  return (await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] })).Attributes ?? {};
}

function queueOf(attributes: Readonly<Record<string, string>>): Queue {
  const arn = attributes['QueueArn'] ?? '';
  const name = arn.split(':').at(-1) ?? '';
  const hasKey = attributes['KmsMasterKeyId'] !== undefined;
  return {
    id: arn,
    name,
    ignore: new Set(),
    isFifo: { value: name.endsWith('.fifo') },
    visibilitySeconds: numberOf(attributes['VisibilityTimeout']),
    retentionSeconds: numberOf(attributes['MessageRetentionPeriod']),
    redrive: { value: redriveOf(attributes['RedrivePolicy']) },
    redriveAllow: { value: allowOf(attributes['RedriveAllowPolicy']) },
    // Emulators may not report encryption.
    isEncrypted:
      attributes['SqsManagedSseEnabled'] === undefined && !hasKey
        ? { unknown: 'SQS does not say whether it is encrypted' }
        : { value: hasKey || attributes['SqsManagedSseEnabled'] === 'true' },
    requiresTls: { value: deniesPlainText(jsonOf(attributes['Policy'])) },
    arnTails: [name],
  };
}

function numberOf(text: string | undefined): Setting<number> {
  return text === undefined ? { unknown: 'SQS does not say' } : { value: Number(text) };
}

function redriveOf(text: string | undefined): Redrive | undefined {
  if (text === undefined || text === '') return undefined;
  const { maxReceiveCount } = jsonOf(text) as { maxReceiveCount?: number | string };
  return {
    target: targetArn(text),
    targetArn: targetArn(text),
    maxReceiveCount: numberOf(maxReceiveCount === undefined ? undefined : String(maxReceiveCount)),
  };
}

function targetArn(text: string): string | undefined {
  return (jsonOf(text) as { deadLetterTargetArn?: string }).deadLetterTargetArn;
}

function allowOf(text: string | undefined): RedriveAllow | undefined {
  if (text === undefined || text === '') return undefined;
  const policy = jsonOf(text) as { redrivePermission?: string; sourceQueueArns?: readonly string[] };
  return { permission: policy.redrivePermission ?? 'allowAll', sources: policy.sourceQueueArns ?? [] };
}

function jsonOf(text: string | undefined): Exclude<Value, undefined> {
  try {
    return (JSON.parse(text ?? '{}') as Exclude<Value, undefined>) ?? {};
  } catch {
    return {};
  }
}
