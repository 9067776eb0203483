import { ConfigurationError } from '../../claims/errors.ts';
import type { DeadLetterMessage } from './dead-letter-message.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';
import type { QueueFacts } from './queue-facts.ts';

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
 * queue that has the dead-letter queue in its redrive policy. What a message itself says of where it came from counts only if
 * that is one of these queues: whoever may send to the dead-letter queue could have a person send messages anywhere.
 */
export async function findDestinations(
  sqs: DeadLetterSqs,
  facts: QueueFacts,
  given: string | undefined,
): Promise<Destinations> {
  if (given === facts.queueUrl) {
    throw new ConfigurationError('Expected `destinationUrl` to be another queue than `queueUrl`');
  }
  const sourceUrls = await sourcesOf(sqs, facts.queueUrl);
  const only = sourceUrls.length === 1 ? sourceUrls[0] : undefined;
  return {
    sourceUrls,
    urlOf({ sentBy, source }) {
      if (given !== undefined) return given;
      const told = source === undefined ? undefined : siblingUrl(facts, source);
      if (sentBy === 'redrive-policy' && told !== undefined) return told;
      return sourceUrls.find((url) => told !== undefined && pathOf(url) === pathOf(told)) ?? only;
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

/** None where the service has no such call, or the role may not make it: then the destination has to be given. */
async function sourcesOf(sqs: DeadLetterSqs, queueUrl: string): Promise<string[]> {
  const urls: string[] = [];
  let next: string | undefined;
  try {
    do {
      const { queueUrls = [], NextToken } = await sqs.listDeadLetterSourceQueues({
        QueueUrl: queueUrl,
        MaxResults: 100,
        ...(next !== undefined && { NextToken: next }),
      });
      urls.push(...queueUrls);
      next = NextToken;
    } while (next !== undefined && next !== '' && urls.length < MOST_SOURCES);
  } catch {
    return [];
  }
  return urls;
}
