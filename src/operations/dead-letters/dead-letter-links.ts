import { systemClock } from '../../base/clock.ts';
import type { CommandClient } from '../../options/command-client.ts';
import { boundedDeadLetterSqs } from './bounded-dead-letter-sqs.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';
import { findDestinations } from './destinations.ts';
import { readQueueFacts } from './queue-facts.ts';

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
  const bounded = boundedDeadLetterSqs(sqs, systemClock);
  const facts = await readQueueFacts(bounded, queueUrl);
  const { sourceUrls } = await findDestinations(bounded, facts, undefined);
  const { deadLetterArn } = facts;
  return { sourceUrls, ...(deadLetterArn !== undefined && { deadLetterArn }) };
}
