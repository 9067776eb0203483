import { SQS } from '@aws-sdk/client-sqs';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { awsSettings, dummiesOf } from './aws-settings.ts';

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

/** The URL of the queue of this name. */
export async function queueUrlOf(sqs: SQS, QueueName: string): Promise<string> {
  const { QueueUrl = '' } = await sqs.getQueueUrl({ QueueName });
  return QueueUrl;
}
