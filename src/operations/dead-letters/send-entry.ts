import { defined } from '../../base/defined.ts';
import { hash } from 'node:crypto';
import { type ReadMessage, withoutOurs } from './dead-letter-message.ts';
import type { MessageAttribute, SendEntry } from './dead-letter-sqs.ts';

export interface OutgoingMessage {
  readonly read: ReadMessage;
  readonly destinationUrl: string;
}

/**
 * Returns the entry for sending a message back, without the attributes of `deadLetterQueue()`.
 *
 * A FIFO queue drops a message whose deduplication id it saw within five minutes, so the original id could
 * lose a message that failed quickly. The new id is derived from the message's id in the dead-letter queue: a
 * send that is repeated, also by another person, arrives once, and a message that fails again has another id
 * there.
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

/** Removes the empty lists that a receive returns and a send rejects. */
function sendable(attributes: Readonly<Record<string, MessageAttribute>>): Record<string, MessageAttribute> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      { DataType, ...defined({ StringValue, BinaryValue }) },
    ]),
  );
}

/** Returns the size of an entry as SQS counts it. */
export function bytesOf({ MessageBody, MessageAttributes = {} }: SendEntry): number {
  let bytes = Buffer.byteLength(MessageBody);
  for (const [name, { DataType = '', StringValue = '', BinaryValue }] of Object.entries(MessageAttributes)) {
    bytes += Buffer.byteLength(name + DataType + StringValue) + (BinaryValue?.byteLength ?? 0);
  }
  return bytes;
}
