import { defined } from '../../base/defined.ts';
import { ConfigurationError } from '../../base/errors.ts';
import type { CommandClient } from '../../options/command-client.ts';
import type { DeadLetterMessage } from './dead-letter-message.ts';
import { type DeadLetterQueue, openDeadLetterQueue, readQueueFacts } from './dead-letter-queue.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';

/** The redrive policies that connect a queue with others. */
export interface DeadLetterLinks {
  /** The URLs of the queues that move messages to it; empty if the service does not say. */
  readonly sourceUrls: readonly string[];
  /** The ARN of its own dead-letter queue; absent if it has none. */
  readonly deadLetterArn?: string;
}

/**
 * Returns the queues that use a queue as their dead-letter queue, and the dead-letter queue of the queue
 * itself. Receives no messages. Rejects if SQS does not return the queue's attributes.
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

/** The destinations of the messages of a dead-letter queue. */
export interface Destinations {
  /** The queues whose redrive policies feed it; empty if the service does not say. */
  readonly sourceUrls: readonly string[];
  /** Returns the URL of the queue that a message goes to; undefined if it is not known. */
  urlOf(message: DeadLetterMessage): string | undefined;
}

/**
 * Finds the destinations: `given`, or the queue that SQS names as the source of a redrive policy's move, or
 * the only queue that uses this dead-letter queue. A source that the message itself names is used only if it
 * is one of these queues: otherwise anybody who may send to the queue could direct messages
 * anywhere.
 */
export async function findDestinations(
  queue: DeadLetterQueue,
  given: string | undefined,
): Promise<Destinations> {
  if (given === queue.queueUrl) {
    throw new ConfigurationError(
      'Expected `destinationUrl` to be another queue than `queueUrl`, got the same',
    );
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
      // A message that names another source, such as a stream, does not go to the only queue either.
      return named ?? (sentBy === 'deadLetterQueue' ? undefined : only);
    },
  };
}

/** Returns the URL of a queue by its ARN. Redrive policies stay within one account and region. */
function siblingUrl({ queueUrl, queueArn }: DeadLetterQueue, arn: string): string | undefined {
  const [, , service, region, account, name] = arn.split(':');
  const [, , , ownRegion, ownAccount] = queueArn.split(':');
  if (service !== 'sqs' || region !== ownRegion || account !== ownAccount || !name) return undefined;
  return queueUrl.replace(/[^/]*$/, () => name);
}

/** Emulators use several host names for one queue, so only paths are compared. */
function pathOf(url: string): string {
  return new URL(url).pathname;
}

const MOST_SOURCES = 1_000;

/** Returns no queues if the role lacks the permission: `destinationUrl` must be set then. */
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
    // Emulators may lack this call; listing their queues is cheap.
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
