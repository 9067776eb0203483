import type { SQS } from '@aws-sdk/client-sqs';
import type { WorkQueues } from './demo-services.ts';
import { drawn } from './drawn.ts';
import { idOf, kindOf } from './kinds-of-work.ts';
import { FIRST_NUMBER, isLasting, troubleOf } from './trouble.ts';

export interface SendingOptions {
  readonly sqs: Pick<SQS, 'sendMessage' | 'getQueueAttributes'>;
  readonly queues: readonly WorkQueues[];
  readonly seed: number;
  /** Work items per second, on average. */
  readonly rate: number;
  /** Stops the sending when aborted. */
  readonly signal: AbortSignal;
  /** Resolves after `ms`; rejects when `signal` is aborted. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** With this many dead letters, no work is sent that would add another. */
const MOST_DEAD_LETTERS = 30;
/** The work items between two counts of the dead letters. */
const LOOK_EVERY = 20;

/** Sends work until `signal` is aborted. Rejects if a queue does not answer. */
export async function sendWork(options: SendingOptions): Promise<void> {
  const { seed, rate, signal, delay } = options;
  let isFull = false;
  for (let number = FIRST_NUMBER; !signal.aborted; number += 1) {
    if (number % LOOK_EVERY === 0) isFull = (await deadLetters(options)) >= MOST_DEAD_LETTERS;
    if (!(isFull && isLasting(troubleOf(seed, number)))) await send(options, number);
    const share = 0.4 + drawn(seed, -number, 1_200) / 1_000;
    await delay((1_000 / rate) * share, signal).catch(() => undefined);
  }
}

async function send({ sqs, queues, seed }: SendingOptions, number: number): Promise<void> {
  const kind = kindOf(number);
  const queue = queues.find((one) => one.kind === kind);
  const trouble = troubleOf(seed, number);
  const whole = JSON.stringify(kind.body(idOf(kind, number), drawn(seed, number, 1_000_000)));
  const body = trouble === 'not-json' ? whole.slice(0, whole.length / 2) : whole;
  await sqs.sendMessage({ QueueUrl: queue?.url, MessageBody: body });
  // The duplicate arrives while the first message runs, or after it is done.
  const again = { QueueUrl: queue?.url, MessageBody: body, DelaySeconds: number % 2 === 0 ? 0 : 4 };
  if (trouble === 'sent-again') await sqs.sendMessage(again);
}

async function deadLetters({ sqs, queues }: SendingOptions): Promise<number> {
  const counts = queues.map(async ({ deadLetterUrl }) => {
    const { Attributes = {} } = await sqs.getQueueAttributes({
      QueueUrl: deadLetterUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    });
    return (
      Number(Attributes.ApproximateNumberOfMessages) +
      Number(Attributes.ApproximateNumberOfMessagesNotVisible)
    );
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
