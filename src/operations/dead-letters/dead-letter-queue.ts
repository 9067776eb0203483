import { sqsWithMethods } from '../../aws/sdk/command-client.ts';
import { bounded, type Limit } from '../../base/bounded.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { ConfigurationError } from '../../base/errors.ts';
import { DEAD_LETTER_CALL_MS } from '../../base/limits.ts';
import type { CommandClient } from '../../options/command-client.ts';
import { unansweredBySqs } from '../../queues/sqs-client.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';

/** A dead-letter queue as it was when it was opened, and the client that it is asked with. */
export interface DeadLetterQueue extends QueueFacts {
  readonly sqs: DeadLetterSqs;
  readonly clock: Clock;
}

interface QueueFacts {
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly isFifo: boolean;
  /** Messages that a receive may get, as SQS counts them, which is approximate. */
  readonly visible: number;
  /** Messages that somebody has received, or that are delayed. */
  readonly hidden: number;
  /** After so many receives the queue moves a message on, to a dead-letter queue of its own. */
  readonly movesOnAfter: number | undefined;
  /** Where it moves them. */
  readonly deadLetterArn: string | undefined;
}

const CALL: Limit = { ms: DEAD_LETTER_CALL_MS, signalAt: 1, signalIn: 'abortSignal' };
const LIMITS: Readonly<Record<keyof DeadLetterSqs, Limit>> = {
  getQueueAttributes: CALL,
  receiveMessage: CALL,
  changeMessageVisibilityBatch: CALL,
  sendMessageBatch: CALL,
  deleteMessageBatch: CALL,
  listDeadLetterSourceQueues: CALL,
  listQueues: CALL,
  startMessageMoveTask: CALL,
  listMessageMoveTasks: CALL,
  cancelMessageMoveTask: CALL,
};
const OPERATIONS = Object.keys(LIMITS) as (keyof DeadLetterSqs)[];

/**
 * Asks what a queue is. No call of its client takes longer than 20 seconds: the SDK's own waits without a limit by default.
 * Refuses a queue with a redrive policy of its own, unless `usesReceives`: every look counts as a receive, and could be
 * the one that moves a message on.
 */
export async function openDeadLetterQueue(
  given: DeadLetterSqs | CommandClient,
  options: { readonly queueUrl: string; readonly clock?: Clock; readonly usesReceives?: boolean },
): Promise<DeadLetterQueue> {
  const { queueUrl, clock = systemClock, usesReceives = false } = options;
  const sqs = bounded(sqsWithMethods<DeadLetterSqs>(given, OPERATIONS), LIMITS, unansweredBySqs, clock);
  const facts = await readQueueFacts(sqs, queueUrl);
  if (facts.movesOnAfter !== undefined && !usesReceives) {
    throw new ConfigurationError(
      `The queue ${queueUrl} has a redrive policy of its own: it moves a message on after ${facts.movesOnAfter} receives, and to look at it is one. Is it the dead-letter queue? If so, set \`usesReceives: true\``,
    );
  }
  return { ...facts, sqs, clock };
}

export async function readQueueFacts(sqs: DeadLetterSqs, queueUrl: string): Promise<QueueFacts> {
  const { Attributes: attributes = {} } = await sqs.getQueueAttributes({
    QueueUrl: queueUrl,
    AttributeNames: ['All'],
  });
  const count = (name: string): number => Number(attributes[name] ?? 0) || 0;
  const { maxReceiveCount, deadLetterTargetArn } = policyOf(attributes['RedrivePolicy']);
  return {
    queueUrl,
    queueArn: attributes['QueueArn'] ?? '',
    isFifo: queueUrl.endsWith('.fifo'),
    visible: count('ApproximateNumberOfMessages'),
    hidden: count('ApproximateNumberOfMessagesNotVisible') + count('ApproximateNumberOfMessagesDelayed'),
    movesOnAfter: Number(maxReceiveCount ?? 0) || undefined,
    deadLetterArn: typeof deadLetterTargetArn === 'string' ? deadLetterTargetArn : undefined,
  };
}

function policyOf(redrivePolicy: string = ''): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(redrivePolicy) ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return {}; // it has none
  }
}
