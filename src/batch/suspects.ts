import { LONG_TEXT } from '../sources/json-bounds.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { Settings } from './options.ts';

/** Which records may end the process while they are read: none, those with long texts, or any. */
export type Danger = 'none' | 'long' | 'any';

/**
 * How dangerous it is to read records with these settings. What the library does by itself is bounded; a decoder may make
 * anything of a payload, and functions of the user may run for ever.
 */
export function dangerOf({ decode, unwrap, key, namespace, payloadValidation }: Settings): Danger {
  if (decode !== undefined || typeof namespace === 'function') return 'any';
  const efforts = new Set([key.effort, payloadValidation === undefined ? 'none' : payloadValidation.effort]);
  if (efforts.has(undefined)) return 'any';
  return unwrap.length > 0 || efforts.has('bounded') ? 'long' : 'none';
}

/** A quick look at an event: whether it may hold a suspect. Most hold none. */
export function mayHoldSuspects(event: unknown, danger: Danger): boolean {
  if (danger === 'none') return false;
  return recordsOf(event).some((record) => {
    const { attributes } = (record ?? {}) as { readonly attributes?: { ApproximateReceiveCount?: unknown } };
    const count = attributes?.ApproximateReceiveCount;
    return count !== undefined && count !== '1';
  });
}

/** Whether the record has been received before, of which nobody knows the reason, and could end the process. */
export function isSuspect(record: BatchRecord, danger: Danger): boolean {
  if (danger === 'none' || record.source !== 'sqs' || record.receiveCount === 1) return false;
  return danger === 'any' || record.rawBody.length > LONG_TEXT;
}

/** The same event with some of its records. */
export function eventOf(event: unknown, indexes: readonly number[]): unknown {
  const records = recordsOf(event);
  const some = indexes.map((index) => records[index]);
  return Array.isArray(event) ? some : { ...(event as object), Records: some };
}

function recordsOf(event: unknown): readonly unknown[] {
  if (Array.isArray(event)) return event;
  const { Records } = (event ?? {}) as { readonly Records?: unknown };
  return Array.isArray(Records) ? Records : [];
}
