import type { ReceivedMessage } from './sqs-queue.ts';

/** A message from its receive until it is deleted or handed back. */
export interface HeldMessage {
  /** The last receive of it: only the newest receipt handle is sure to delete a message. */
  message: ReceivedMessage;
  /** The time of the last receive, in epoch milliseconds. SQS's limit of 12 hours counts from it. */
  receivedAt: number;
  /** When it becomes visible, in epoch milliseconds. */
  hiddenUntil: number;
  /** Whether its handler has ended or it is handed back. Its visibility is no longer renewed. */
  isEnding?: boolean;
}

export function idOf({ message }: HeldMessage): string {
  return message.messageId;
}

/** Returns the receive count, including this receive. */
export function receivesOf({ message }: HeldMessage): number {
  return Number(message.attributes['ApproximateReceiveCount'] ?? 1);
}

/** The number of a call's records by bucket of the keyed rates. */
export type RateKeys = ReadonlyMap<string, number>;

/** The messages of one call: one message, or those of one FIFO group in order. */
export interface HandlerBatch {
  readonly held: readonly HeldMessage[];
  readonly group: string | undefined;
  /** Set if there are keyed rates. */
  readonly rateKeys?: RateKeys;
  /** For a suspect: how many attempts at its first message died in a row. */
  readonly deaths?: number;
  /** For a part that runs again: the earliest start, by the worker's clock. */
  readonly startsAt?: number;
}

export function messagesIn(batches: readonly HandlerBatch[]): number {
  return batches.reduce((sum, { held }) => sum + held.length, 0);
}

/** Groups the messages of one receive into batches of at most `most`. */
export function handlerBatchesOf(
  held: readonly HeldMessage[],
  isFifo: boolean,
  most: number = Infinity,
): HandlerBatch[] {
  const groupOf = ({ message }: HeldMessage): string | undefined => message.attributes['MessageGroupId'];
  if (!isFifo) return held.map((one) => ({ held: [one], group: groupOf(one) }));
  const batches: { readonly held: HeldMessage[]; readonly group: string | undefined }[] = [];
  for (const one of held) {
    const group = groupOf(one);
    const last = batches.findLast((batch) => batch.group === group);
    if (last !== undefined && last.held.length < most) last.held.push(one);
    else batches.push({ held: [one], group });
  }
  return batches;
}
