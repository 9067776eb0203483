import { SQS } from '@aws-sdk/client-sqs';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { LOGICAL_ID_TAG } from '../../dev/services/create-queues.ts';
import { awsSettings, dummiesOf, isLocal } from './aws-settings.ts';

/** A queue, by its URL or its name. */
export interface QueueOptions extends ConnectionOptions {
  readonly queueUrl?: string;
  readonly queue?: string;
}

/** What is special about a queue that is opened. */
export interface QueueConnection {
  /** As people know it. */
  readonly title?: string;
  /** Sendings of one request. Default: the SDK's. */
  readonly maxAttempts?: number;
}

/** Opens the queue that the options name for `use`. Throws a `UsageError` if they name none. */
export async function withQueue<Result>(
  context: Context,
  options: QueueOptions,
  use: (sqs: SQS, queueUrl: string) => Promise<Result>,
  { title = 'dead-letter queue', maxAttempts }: QueueConnection = {},
): Promise<Result> {
  const { queueUrl, queue } = options;
  if ((queueUrl === undefined) === (queue === undefined)) {
    throw new UsageError(`Name the ${title}: --queue-url URL or --queue NAME.`);
  }
  const settings = awsSettings('SQS', options, context, queueUrl);
  const dummies = dummiesOf(settings);
  if (dummies !== undefined) context.screen.detail(dummies);
  const sqs = new SQS({
    ...settings,
    ...(maxAttempts !== undefined && { maxAttempts }),
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  });
  try {
    return await use(sqs, queueUrl ?? (await urlOf(sqs, queue ?? '', isLocal(settings.endpoint))));
  } finally {
    sqs.destroy();
  }
}

/** On this machine a queue is also found by its logical id in the template that `batchlatch dev` runs. */
async function urlOf(sqs: SQS, name: string, isHere: boolean): Promise<string> {
  try {
    const { QueueUrl = '' } = await sqs.getQueueUrl({ QueueName: name });
    return QueueUrl;
  } catch (error) {
    const found = isHere ? await withLogicalId(sqs, name).catch(() => undefined) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

/** `dev` tags queues as CloudFormation does. */
async function withLogicalId(sqs: SQS, id: string): Promise<string | undefined> {
  const { QueueUrls = [] } = await sqs.listQueues({ MaxResults: 1_000 });
  for (const QueueUrl of QueueUrls) {
    const { Tags = {} } = await sqs.listQueueTags({ QueueUrl });
    if (Tags[LOGICAL_ID_TAG] === id) return QueueUrl;
  }
  return undefined;
}
