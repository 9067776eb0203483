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
  return withSqs(
    context,
    options,
    async (sqs) => use(sqs, queueUrl ?? (await queueUrlOf(sqs, queue ?? ''))),
    { ...(queueUrl !== undefined && { queueUrl }), ...(maxAttempts !== undefined && { maxAttempts }) },
  );
}

/** A client of SQS for these options, which is closed when `use` has ended. `queueUrl`: one that may tell the endpoint. */
export async function withSqs<Result>(
  context: Context,
  options: ConnectionOptions,
  use: (sqs: SQS) => Promise<Result>,
  { queueUrl, maxAttempts }: { readonly queueUrl?: string; readonly maxAttempts?: number } = {},
): Promise<Result> {
  const settings = awsSettings('SQS', options, context, queueUrl);
  const dummies = dummiesOf(settings);
  if (dummies !== undefined) context.screen.detail(dummies);
  const sqs = new SQS({
    ...settings,
    ...(maxAttempts !== undefined && { maxAttempts }),
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  });
  try {
    return await use(sqs);
  } finally {
    sqs.destroy();
  }
}

/** The URL of the queue of this name; on this machine also of the one with this logical id in the template that `batchlatch dev` runs. */
export async function queueUrlOf(sqs: SQS, name: string): Promise<string> {
  try {
    const { QueueUrl = '' } = await sqs.getQueueUrl({ QueueName: name });
    return QueueUrl;
  } catch (error) {
    const found = await withLogicalId(sqs, name).catch(() => undefined);
    if (found === undefined) throw error;
    return found;
  }
}

/** `dev` tags queues as CloudFormation does. */
async function withLogicalId(sqs: SQS, id: string): Promise<string | undefined> {
  if (!(await isHere(sqs))) return undefined;
  const { QueueUrls = [] } = await sqs.listQueues({ MaxResults: 1_000 });
  for (const QueueUrl of QueueUrls) {
    const { Tags = {} } = await sqs.listQueueTags({ QueueUrl });
    if (Tags[LOGICAL_ID_TAG] === id) return QueueUrl;
  }
  return undefined;
}

/** Elsewhere there may be very many queues. */
async function isHere({ config }: SQS): Promise<boolean> {
  const endpoint = await config.endpoint?.();
  return endpoint !== undefined && isLocal(`${endpoint.protocol}//${endpoint.hostname}`);
}
