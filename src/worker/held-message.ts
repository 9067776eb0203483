import type { ReceivedMessage } from './sqs-queue.ts';

/** A message from its receive until it is deleted or handed back. */
export interface HeldMessage {
  /** As it was received last: only its newest receipt handle is sure to delete it. */
  message: ReceivedMessage;
  /** When it was received last, in epoch milliseconds: SQS hides it for at most 12 hours from then on. */
  receivedAt: number;
  /** Until when it is invisible to others, in epoch milliseconds. */
  hiddenUntil: number;
  /** Its handler has ended, or it is handed back: it is kept invisible no longer, and may be about to be deleted. */
  isEnding?: boolean;
}

export function idOf({ message }: HeldMessage): string {
  return message.messageId;
}

/** How often it has been received, this time included. */
export function receivesOf({ message }: HeldMessage): number {
  return Number(message.attributes['ApproximateReceiveCount'] ?? 1);
}

/** How many records of a call each keyed rate counts, by the name of the key's bucket. */
export type RateKeys = ReadonlyMap<string, number>;

/** Messages that one call of the handler gets: one message, or those of one group of a FIFO queue in their order. */
export interface HandlerBatch {
  readonly held: readonly HeldMessage[];
  readonly group: string | undefined;
  /** What keyed rates count; undefined: there are none. */
  readonly rateKeys?: RateKeys;
  /** Of a suspect: how many attempts at its first message died in a row. */
  readonly deaths?: number;
  /** Of what is left of a call: not before this time, by the worker's clock, such as the end of a lease. */
  readonly startsAt?: number;
}

export function messagesIn(batches: readonly HandlerBatch[]): number {
  return batches.reduce((sum, { held }) => sum + held.length, 0);
}

/** What one receive brought, as the handler is to get it: no more than `most` messages in a batch. */
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
