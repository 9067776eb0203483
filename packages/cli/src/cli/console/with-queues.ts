import type { SQS } from '@aws-sdk/client-sqs';
import type { QueueJson } from '../../console/api.ts';
import type { ConsoleOptions } from '../../console/options.ts';
import { deadLetterLinks } from 'batchlatch/operations';
import { clockOf } from '../clock.ts';
import { awsSettings, isLocal } from '../connect/aws-settings.ts';
import { queueMetricsOf } from './queue-metrics.ts';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import { isQueueUrl, namedQueueUrl, withSqs } from '../connect/sqs.ts';
import type { Context } from '../context.ts';
import { escapeControls } from '../../text/escape-controls.ts';

/** The options that name queues. */
interface QueueOptions extends ConnectionOptions {
  readonly queue?: readonly string[];
  readonly dlq?: readonly string[];
}

/** The queues of a console, with the client and the metrics. */
export type OpenQueues = Pick<ConsoleOptions, 'queueMetrics'> & {
  readonly queues: readonly QueueJson[];
  readonly sqs?: SQS;
};

/** Opens the queues that the options name, and their dead-letter queues, for `use`. */
export async function withQueues<Result>(
  context: Context,
  options: QueueOptions,
  use: (queues: OpenQueues) => Promise<Result>,
): Promise<Result> {
  const { queue = [], dlq = [] } = options;
  if (queue.length + dlq.length === 0) return use({ queues: [] });
  const queueUrl = [...queue, ...dlq].find(isQueueUrl);
  return withSqs(
    context,
    options,
    async (sqs) => {
      const queues = await findQueues(sqs, { queue, dlq }, context);
      const queueMetrics = await metricsOf(sqs, queues, context, options);
      return use({ sqs, queues, ...(queueMetrics !== undefined && { queueMetrics }) });
    },
    { ...(queueUrl !== undefined && { queueUrl }) },
  );
}

/** Returns no metrics for queues on this machine: CloudWatch does not know them. */
async function metricsOf(
  sqs: SQS,
  queues: readonly QueueJson[],
  context: Context,
  options: ConnectionOptions,
): Promise<ConsoleOptions['queueMetrics']> {
  const urls = queues.map(({ url }) => url);
  const { endpoint } = awsSettings('SQS', options, context, urls[0]);
  if (isLocal(endpoint) || urls.some(isLocal)) return undefined;
  const region = await sqs.config.region();
  const own = awsSettings('CLOUDWATCH', options, context).endpoint;
  const url = own === undefined ? cloudWatchIn(region, sqs) : new URL(own);
  return queueMetricsOf({ url, region, credentials: sqs.config.credentials }, urls, clockOf(context));
}

/** Derives CloudWatch's endpoint from SQS's, which has the domain of the partition. */
function cloudWatchIn(region: string, sqs: SQS): URL {
  const { url } = sqs.config.endpointProvider({ Region: region });
  return new URL(url.href.replace('//sqs.', '//monitoring.'));
}

async function findQueues(
  sqs: SQS,
  { queue, dlq }: Required<Pick<QueueOptions, 'queue' | 'dlq'>>,
  context: Context,
): Promise<readonly QueueJson[]> {
  const [named, dead] = await Promise.all([
    Promise.all(queue.map((one) => namedQueueUrl(sqs, one, context.signal))),
    Promise.all(dlq.map((one) => namedQueueUrl(sqs, one, context.signal))),
  ]);
  const isDead = new Map<string, boolean>();
  for (const url of named) {
    const facts = await factsOf(sqs, url, context);
    isDead.set(url, facts.isDeadLetter);
    if (facts.deadLetterUrl !== undefined) isDead.set(facts.deadLetterUrl, true);
  }
  for (const url of dead) isDead.set(url, true);
  return [...isDead].map(([url, isDeadLetter]) => ({ url, name: nameOf(url), isDeadLetter }));
}

function nameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? url);
}

interface Facts {
  /** Whether it is the dead-letter queue of other queues. */
  readonly isDeadLetter: boolean;
  /** Its own dead-letter queue. */
  readonly deadLetterUrl?: string;
}

/** Reads the dead-letter links of a queue. If they cannot be read, prints a note and assumes none. */
async function factsOf(sqs: SQS, queueUrl: string, { screen }: Context): Promise<Facts> {
  try {
    const { sourceUrls, deadLetterArn } = await deadLetterLinks(sqs, queueUrl);
    const deadLetterUrl = await urlOfArn(sqs, deadLetterArn);
    return { isDeadLetter: sourceUrls.length > 0, ...(deadLetterUrl !== undefined && { deadLetterUrl }) };
  } catch (error) {
    const why = error instanceof Error ? error.message || error.name : String(error);
    screen.note(`The dead-letter queue of ${escapeControls(queueUrl)} is not known: ${escapeControls(why)}`);
    return { isDeadLetter: false };
  }
}

async function urlOfArn(sqs: SQS, arn: string | undefined): Promise<string | undefined> {
  const [QueueOwnerAWSAccountId, QueueName] = (arn ?? '').split(':').slice(-2);
  if (QueueName === undefined) return undefined;
  return (await sqs.getQueueUrl({ QueueName, QueueOwnerAWSAccountId })).QueueUrl;
}
