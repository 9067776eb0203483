import { defined } from '../../base/defined.ts';
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { type ReadMessage, withoutOurs } from './dead-letter-message.ts';
import type { MessageAttribute, SendEntry } from './dead-letter-sqs.ts';

/** A message on its way back. */
export interface OutgoingMessage {
  readonly read: ReadMessage;
  readonly destinationUrl: string;
}

/**
 * A message as it is sent back: its body, its group, its trace and its attributes, without those of `deadLetterQueue()`.
 *
 * A FIFO queue drops what has a deduplication id that it was sent within five minutes. So the message does not get the id
 * that it had when it was sent first: a queue that failed it quickly would drop it, and it would be lost. It gets one that is
 * made of its id in the dead-letter queue: sent again because an answer was lost, or by a second person, it arrives once, and
 * when it fails again and comes back, it has another id there.
 */
export function entryOf({ read, destinationUrl }: OutgoingMessage, id: string): SendEntry {
  const { message, received } = read;
  const isFifo = destinationUrl.endsWith('.fifo');
  const groupId = message.messageGroupId ?? (isFifo ? message.messageId : undefined);
  const theirs = received.MessageAttributes ?? {};
  const attributes = message.sentBy === 'deadLetterQueue' ? withoutOurs(theirs) : theirs;
  const trace = received.Attributes?.['AWSTraceHeader'];
  return {
    Id: id,
    MessageBody: message.body,
    ...(Object.keys(attributes).length > 0 && { MessageAttributes: sendable(attributes) }),
    ...(trace !== undefined && {
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: trace } },
    }),
    ...defined({ MessageGroupId: groupId }),
    ...(isFifo && { MessageDeduplicationId: hash('sha256', `redrive ${message.messageId}`) }),
  };
}

/** Without the empty lists that a receive answers besides, and a send refuses. */
function sendable(attributes: Readonly<Record<string, MessageAttribute>>): Record<string, MessageAttribute> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      { DataType, ...defined({ StringValue, BinaryValue }) },
    ]),
  );
}

/** What SQS counts of an entry. */
export function bytesOf({ MessageBody, MessageAttributes = {} }: SendEntry): number {
  let bytes = Buffer.byteLength(MessageBody);
  for (const [name, { DataType = '', StringValue = '', BinaryValue }] of Object.entries(MessageAttributes)) {
    bytes += Buffer.byteLength(name + DataType + StringValue) + (BinaryValue?.byteLength ?? 0);
  }
  return bytes;
}
