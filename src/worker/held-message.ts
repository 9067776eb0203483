import type { ReceivedMessage } from './message-queue.ts';
import type { RateKeys } from './rate-limits.ts';

/** A message from its receive until it is deleted or handed back. */
export interface HeldMessage {
  /** As it was received last: only its newest receipt handle is sure to delete it. */
  message: ReceivedMessage;
  /** When it was received last, in epoch milliseconds: SQS hides it for at most 12 hours from then on. */
  receivedAt: number;
  /** Until when it is invisible to others, in epoch milliseconds. */
  hiddenUntil: number;
}

/** Messages that one call of the handler gets: one message, or those of one group of a FIFO queue in their order. */
export interface Parcel {
  readonly held: readonly HeldMessage[];
  /** The message group; undefined: none. */
  readonly group: string | undefined;
  /** What keyed rates count; undefined: there are none. */
  readonly rateKeys?: RateKeys;
}

/** What one receive brought, as the handler is to get it. */
export function parcelsOf(held: readonly HeldMessage[], isFifo: boolean): Parcel[] {
  const groupOf = ({ message }: HeldMessage): string | undefined => message.attributes['MessageGroupId'];
  if (!isFifo) return held.map((one) => ({ held: [one], group: groupOf(one) }));
  const groups = new Map<string | undefined, HeldMessage[]>();
  for (const one of held) {
    const group = groups.get(groupOf(one));
    if (group === undefined) groups.set(groupOf(one), [one]);
    else group.push(one);
  }
  return [...groups].map(([group, messages]) => ({ held: messages, group }));
}
