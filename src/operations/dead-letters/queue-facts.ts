import { ConfigurationError } from '../../base/errors.ts';
import type { DeadLetterSqs } from './dead-letter-sqs.ts';

/** What is to be known of a dead-letter queue before anything is received from it. */
export interface QueueFacts {
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

export async function readQueueFacts(sqs: DeadLetterSqs, queueUrl: string): Promise<QueueFacts> {
  const { Attributes: attributes = {} } = await sqs.getQueueAttributes({
    QueueUrl: queueUrl,
    AttributeNames: ['All'],
  });
  const count = (name: string): number => Number(attributes[name] ?? 0) || 0;
  return {
    queueUrl,
    queueArn: attributes['QueueArn'] ?? '',
    isFifo: queueUrl.endsWith('.fifo'),
    visible: count('ApproximateNumberOfMessages'),
    hidden: count('ApproximateNumberOfMessagesNotVisible') + count('ApproximateNumberOfMessagesDelayed'),
    ...policyOf(attributes['RedrivePolicy']),
  };
}

/** Every look counts as a receive: on such a queue it could be the one that moves a message on. */
export function refuseToMoveOn({ queueUrl, movesOnAfter }: QueueFacts, isAccepted: boolean): void {
  if (movesOnAfter === undefined || isAccepted) return;
  throw new ConfigurationError(
    `The queue ${queueUrl} has a redrive policy of its own: it moves a message on after ${movesOnAfter} receives, and to look at it is one. Is it the dead-letter queue? If so, set \`usesReceives: true\``,
  );
}

type Policy = Pick<QueueFacts, 'movesOnAfter' | 'deadLetterArn'>;

function policyOf(redrivePolicy: string = ''): Policy {
  let policy: unknown;
  try {
    policy = JSON.parse(redrivePolicy);
  } catch {
    // It has none.
  }
  const { maxReceiveCount, deadLetterTargetArn } = (policy ?? {}) as Readonly<Record<string, unknown>>;
  return {
    movesOnAfter: Number(maxReceiveCount ?? 0) || undefined,
    deadLetterArn: typeof deadLetterTargetArn === 'string' ? deadLetterTargetArn : undefined,
  };
}
