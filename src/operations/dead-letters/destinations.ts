import { ConfigurationError } from '../../base/errors.ts';
import type { DeadLetterMessage } from './dead-letter-message.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';
import { type QueueFacts, readQueueFacts } from './queue-facts.ts';

/** Where messages of a dead-letter queue go back to. */
export interface Destinations {
  /** The queues whose redrive policies feed it; none where the service does not say. */
  readonly sourceUrls: readonly string[];
  /** The URL of the queue that this message goes to; undefined where it is not known. */
  urlOf(message: DeadLetterMessage): string | undefined;
}

const MOST_SOURCES = 1_000;

/**
 * Where messages go: to `given`, or to the queue that SQS says that its redrive policy moved them from, or to the only
 * queue that has the dead-letter queue in its redrive policy. What a message itself says of where it came from is followed only
 * if that is one of these queues: whoever may send to the dead-letter queue could have a person send messages anywhere.
 */
export async function findDestinations(
  sqs: DeadLetterSqs,
  facts: QueueFacts,
  given: string | undefined,
): Promise<Destinations> {
  if (given === facts.queueUrl) {
    throw new ConfigurationError('Expected `destinationUrl` to be another queue than `queueUrl`');
  }
  const sourceUrls = await sourcesOf(sqs, facts);
  const only = sourceUrls.length === 1 ? sourceUrls[0] : undefined;
  return {
    sourceUrls,
    urlOf({ sentBy, source }) {
      if (given !== undefined) return given;
      const told = source === undefined ? undefined : siblingUrl(facts, source);
      if (sentBy === 'redrive-policy' && told !== undefined) return told;
      const named = sourceUrls.find((url) => told !== undefined && pathOf(url) === pathOf(told));
      // What says that it came from elsewhere, such as a stream, is not for the only queue either.
      return named ?? (sentBy === 'deadLetterQueue' ? undefined : only);
    },
  };
}

/** The URL of a queue of the same account and region, by its ARN; a redrive policy works within these. */
function siblingUrl({ queueUrl, queueArn }: QueueFacts, arn: string): string | undefined {
  const [, , service, region, account, name] = arn.split(':');
  const [, , , ownRegion, ownAccount] = queueArn.split(':');
  if (service !== 'sqs' || region !== ownRegion || account !== ownAccount || !name) return undefined;
  return queueUrl.replace(/[^/]*$/, () => name);
}

/** Emulators give a queue's URL with one host name or another. */
function pathOf(url: string): string {
  return new URL(url).pathname;
}

/** None where the role may not ask: then the destination has to be given. */
async function sourcesOf(sqs: DeadLetterSqs, facts: QueueFacts): Promise<readonly string[]> {
  try {
    return await allPages(async (page) => {
      const { queueUrls = [], NextToken } = await sqs.listDeadLetterSourceQueues({
        QueueUrl: facts.queueUrl,
        MaxResults: 100,
        ...page,
      });
      return { urls: queueUrls, next: NextToken };
    });
  } catch (error) {
    // Emulators may lack this call; they have few queues.
    return isUnknownCall(error) ? await sourcesByPolicy(sqs, facts).catch(() => []) : [];
  }
}

async function sourcesByPolicy(sqs: DeadLetterSqs, { queueArn }: QueueFacts): Promise<string[]> {
  const { QueueUrls: urls = [] } = await sqs.listQueues({});
  const facts = await Promise.all(urls.map((url) => readQueueFacts(sqs, url)));
  return facts.filter(({ deadLetterArn }) => deadLetterArn === queueArn).map(({ queueUrl }) => queueUrl);
}

function isUnknownCall(error: unknown): boolean {
  const name = error instanceof Error ? error.name : '';
  return /InvalidAction|UnknownOperation|UnsupportedOperation|NotImplemented/.test(name);
}

interface Page {
  readonly urls: readonly string[];
  readonly next: string | undefined;
}

async function allPages(read: (page: { NextToken?: string }) => Promise<Page>): Promise<string[]> {
  const all: string[] = [];
  let next: string | undefined;
  do {
    const page = await read(next === undefined ? {} : { NextToken: next });
    all.push(...page.urls);
    next = page.next;
  } while (next !== undefined && next !== '' && all.length < MOST_SOURCES);
  return all;
}
