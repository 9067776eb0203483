import type { MessageSender, MessageToSend } from '../console/send/message-sender.ts';
import { isBad } from './line-body.ts';
import { type Outgoing, outgoing } from './outgoing.ts';
import { type QueueDestination, queueSender } from './queue-sender.ts';
import { sendBatch } from './send-batch.ts';

/** Returns a sender of single messages, with the checks and the repetitions of `batchlatch send`. */
export function messageSender(
  sqs: QueueDestination['sqs'],
  sleep: (ms: number) => Promise<void>,
): MessageSender {
  return {
    problemOf(message) {
      const ready = outgoingOf(message);
      return isBad(ready) ? ready.problem : undefined;
    },
    async send(message) {
      const ready = outgoingOf(message);
      if (isBad(ready)) throw new Error(`The message ${ready.problem}.`);
      const { queueUrl } = message;
      const sender = queueSender({ sqs, queueUrl, delaySeconds: undefined }, sleep);
      const { sent, refused, repeated, fatal } = await sendBatch([ready], sender);
      if (fatal !== undefined) throw fatal;
      if (sent === 0) {
        const [{ code, reason } = { code: 'unknown', reason: '' }] = refused;
        throw new Error(`SQS refused the message: ${code} ${reason}`.trim());
      }
      return { mayBeTwice: repeated > 0 && !isFifo(queueUrl) };
    },
  };
}

function outgoingOf({ queueUrl, body, groupId, dedupId }: MessageToSend): Outgoing | { problem: string } {
  const options = {
    text: true,
    ...(groupId !== undefined && { groupId }),
    ...(dedupId !== undefined && { dedupId }),
  };
  if (isFifo(queueUrl) && groupId === undefined) {
    return { problem: 'needs a message group: the queue is FIFO' };
  }
  if (!isFifo(queueUrl) && dedupId !== undefined) {
    return { problem: 'has a deduplication id, which is for FIFO queues alone' };
  }
  return outgoing({ number: 1, text: body }, options, isFifo(queueUrl));
}

function isFifo(queueUrl: string): boolean {
  return queueUrl.endsWith('.fifo');
}
