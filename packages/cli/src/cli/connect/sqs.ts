import { SQS } from '@aws-sdk/client-sqs';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { LOGICAL_ID_TAG } from '../../dev/services/create-queues.ts';
import { awsSettings, dummiesOf, isLocal } from './aws-settings.ts';

/** The options that name a queue, by URL or name. */
export interface QueueOptions extends ConnectionOptions {
  readonly queueUrl?: string;
  readonly queue?: string;
}

/** How a queue is opened. */
export interface QueueConnection {
  /** The kind of queue, in error messages. */
  readonly title?: string;
  /** Attempts of one request. Default: the SDK's. */
  readonly maxAttempts?: number;
}

/** Opens the queue that the options name for `use`. Throws a `UsageError` unless they name exactly one. */
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
    async (sqs) => use(sqs, queueUrl ?? (await queueUrlOf(sqs, queue ?? '', context.signal))),
    { ...(queueUrl !== undefined && { queueUrl }), ...(maxAttempts !== undefined && { maxAttempts }) },
  );
}

/** Creates an SQS client for `use`, and destroys it after it. A local `queueUrl` sets the endpoint. */
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

/** Returns the URL of the queue with this name or, on this machine, this logical id in `batchlatch dev`. */
export async function queueUrlOf(sqs: SQS, name: string, signal: AbortSignal): Promise<string> {
  try {
    const { QueueUrl = '' } = await sqs.getQueueUrl({ QueueName: name }, { abortSignal: signal });
    return QueueUrl;
  } catch (error) {
    if (!isNoQueue(error)) throw error;
    const found = await withLogicalId(sqs, name, signal).catch(() => undefined);
    if (found === undefined) throw error;
    return found;
  }
}

/** Returns whether SQS says that a queue does not exist. */
export function isNoQueue(error: unknown): boolean {
  return error instanceof Error && /QueueDoesNotExist|NonExistentQueue/.test(error.name);
}

export function isQueueUrl(queue: string): boolean {
  return /^https?:\/\//.test(queue) && URL.canParse(queue);
}

/** Returns the URL of a queue that is given by its URL, its name or its logical id. */
export async function namedQueueUrl(sqs: SQS, queue: string, signal: AbortSignal): Promise<string> {
  return isQueueUrl(queue) ? queue : queueUrlOf(sqs, queue, signal);
}

/** Finds a queue by its tag: `dev` tags queues as CloudFormation does. */
async function withLogicalId(sqs: SQS, id: string, abortSignal: AbortSignal): Promise<string | undefined> {
  if (!(await isHere(sqs))) return undefined;
  const { QueueUrls = [] } = await sqs.listQueues({ MaxResults: 1_000 }, { abortSignal });
  for (const QueueUrl of QueueUrls) {
    const { Tags = {} } = await sqs.listQueueTags({ QueueUrl }, { abortSignal });
    if (Tags[LOGICAL_ID_TAG] === id) return QueueUrl;
  }
  return undefined;
}

/** Returns whether the endpoint is on this machine: an account of AWS may have too many queues to search. */
async function isHere({ config }: SQS): Promise<boolean> {
  const endpoint = await config.endpoint?.();
  return endpoint !== undefined && isLocal(`${endpoint.protocol}//${endpoint.hostname}`);
}
