import { sqsWithMethods } from '../../aws/sdk/command-client.ts';
import { bounded, type Limit } from '../../base/bounded.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { ConfigurationError } from '../../base/errors.ts';
import { DEAD_LETTER_CALL_MS } from '../../base/limits.ts';
import type { CommandClient } from '../../options/command-client.ts';
import { unansweredBySqs } from '../../queues/sqs-client.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';

/** An open dead-letter queue: its attributes when it was opened, and its client. */
export interface DeadLetterQueue extends QueueFacts {
  readonly sqs: DeadLetterSqs;
  readonly clock: Clock;
}

interface QueueFacts {
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly isFifo: boolean;
  /** The approximate number of messages that can be received. */
  readonly visible: number;
  /** The approximate number of messages that are in flight or delayed. */
  readonly hidden: number;
  /** `maxReceiveCount` of the queue's own redrive policy. */
  readonly movesOnAfter: number | undefined;
  /** The target of the queue's own redrive policy. */
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
 * Opens a queue and reads its attributes. Each call of its client is limited to 20 seconds; the SDK has no
 * limit by default. Refuses a queue with a redrive policy of its own unless `usesReceives` is set: each look
 * counts as a receive and could move a message on.
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
      `The queue ${queueUrl} has a redrive policy of its own: it moves a message on after ` +
        `${facts.movesOnAfter} receives, and each look counts as one. ` +
        'If this is the dead-letter queue, set `usesReceives: true`',
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
    return {}; // no redrive policy
  }
}
