import type { SQSEvent } from 'aws-lambda';
import type { HeldMessage, HandlerBatch } from './held-message.ts';
import type { RateLimits } from './rate-limits.ts';

/** A parcel with what keyed rates count. */
export interface KeyedParcel {
  readonly parcel: HandlerBatch;
  /** Messages that are not in it: the first that has no key, and those behind it. */
  readonly left: readonly HeldMessage[];
  readonly error?: unknown;
}

/** Asks the key functions of rates about each record of a parcel. `event`: it as the handler is to get it. */
export function keyedParcel(
  parcel: HandlerBatch,
  rates: RateLimits | undefined,
  event: () => SQSEvent,
): KeyedParcel {
  if (rates?.hasKeys !== true) return { parcel, left: [] };
  const rateKeys = new Map<string, number>();
  const { Records } = event();
  for (const [index, record] of Records.entries()) {
    try {
      for (const key of rates.keysOf(record)) rateKeys.set(key, (rateKeys.get(key) ?? 0) + 1);
    } catch (error) {
      const held = parcel.held.slice(0, index);
      return { parcel: { ...parcel, held, rateKeys }, left: parcel.held.slice(index), error };
    }
  }
  return { parcel: { ...parcel, rateKeys }, left: [] };
}
