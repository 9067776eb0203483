import { defined } from '../../base/defined.ts';
import { ConfigurationError } from '../../base/errors.ts';
import type { CommandClient } from '../../options/command-client.ts';
import type { DeadLetterMessage } from './dead-letter-message.ts';
import { type DeadLetterQueue, openDeadLetterQueue, readQueueFacts } from './dead-letter-queue.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';

/** How the redrive policies of queues connect one of them with others. */
export interface DeadLetterLinks {
  /** The URLs of the queues that move messages to it; none where the service does not say. */
  readonly sourceUrls: readonly string[];
  /** The ARN of its own dead-letter queue; absent where it has none. */
  readonly deadLetterArn?: string;
}

/**
 * Asks which queues have a queue for their dead-letter queue, and which queue is its own. Receives nothing. Rejects where SQS
 * does not tell the attributes of the queue.
 *
 * @param sqs `new SQS()` or `new SQSClient()` of `@aws-sdk/client-sqs`.
 * @param queueUrl The queue.
 *
 * @example
 * const { sourceUrls } = await deadLetterLinks(new SQS(), queueUrl);
 * const isDeadLetterQueue = sourceUrls.length > 0;
 */
export async function deadLetterLinks(
  sqs: DeadLetterSqs | CommandClient,
  queueUrl: string,
): Promise<DeadLetterLinks> {
  const queue = await openDeadLetterQueue(sqs, { queueUrl, usesReceives: true });
  return { sourceUrls: await sourcesOf(queue), ...defined({ deadLetterArn: queue.deadLetterArn }) };
}

/** Where messages of a dead-letter queue go back to. */
export interface Destinations {
  /** The queues whose redrive policies feed it; none where the service does not say. */
  readonly sourceUrls: readonly string[];
  /** The URL of the queue that this message goes to; undefined where it is not known. */
  urlOf(message: DeadLetterMessage): string | undefined;
}

/**
 * Where messages go: to `given`, or to the queue that SQS says that its redrive policy moved them from, or to the only
 * queue that has the dead-letter queue in its redrive policy. What a message itself says of where it came from is followed only
 * if that is one of these queues: whoever may send to the dead-letter queue could have a person send messages anywhere.
 */
export async function findDestinations(
  queue: DeadLetterQueue,
  given: string | undefined,
): Promise<Destinations> {
  if (given === queue.queueUrl) {
    throw new ConfigurationError('Expected `destinationUrl` to be another queue than `queueUrl`');
  }
  const sourceUrls = await sourcesOf(queue);
  const only = sourceUrls.length === 1 ? sourceUrls[0] : undefined;
  return {
    sourceUrls,
    urlOf({ sentBy, source }) {
      if (given !== undefined) return given;
      const told = source === undefined ? undefined : siblingUrl(queue, source);
      if (sentBy === 'redrive-policy' && told !== undefined) return told;
      const named = sourceUrls.find((url) => told !== undefined && pathOf(url) === pathOf(told));
      // What says that it came from elsewhere, such as a stream, is not for the only queue either.
      return named ?? (sentBy === 'deadLetterQueue' ? undefined : only);
    },
  };
}

/** The URL of a queue of the same account and region, by its ARN; a redrive policy works within these. */
function siblingUrl({ queueUrl, queueArn }: DeadLetterQueue, arn: string): string | undefined {
  const [, , service, region, account, name] = arn.split(':');
  const [, , , ownRegion, ownAccount] = queueArn.split(':');
  if (service !== 'sqs' || region !== ownRegion || account !== ownAccount || !name) return undefined;
  return queueUrl.replace(/[^/]*$/, () => name);
}

/** Emulators give a queue's URL with one host name or another. */
function pathOf(url: string): string {
  return new URL(url).pathname;
}

const MOST_SOURCES = 1_000;

/** None where the role may not ask: then the destination has to be given. */
async function sourcesOf(queue: DeadLetterQueue): Promise<readonly string[]> {
  const urls: string[] = [];
  let next: string | undefined;
  try {
    do {
      const { queueUrls = [], NextToken } = await queue.sqs.listDeadLetterSourceQueues({
        QueueUrl: queue.queueUrl,
        MaxResults: 100,
        ...defined({ NextToken: next }),
      });
      urls.push(...queueUrls);
      next = NextToken;
    } while (next !== undefined && next !== '' && urls.length < MOST_SOURCES);
    return urls;
  } catch (error) {
    // Emulators may lack this call; they have few queues.
    return isUnknownCall(error) ? await sourcesByPolicy(queue).catch(() => []) : [];
  }
}

async function sourcesByPolicy({ sqs, queueArn }: DeadLetterQueue): Promise<string[]> {
  const { QueueUrls: urls = [] } = await sqs.listQueues({});
  const facts = await Promise.all(urls.map((url) => readQueueFacts(sqs, url)));
  return facts.filter(({ deadLetterArn }) => deadLetterArn === queueArn).map(({ queueUrl }) => queueUrl);
}

function isUnknownCall(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  return /InvalidAction|UnknownOperation|UnsupportedOperation|NotImplemented/.test(name);
}
