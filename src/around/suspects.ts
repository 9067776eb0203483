import { LONG_TEXT } from '../sources/json-bounds.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { Settings } from '../batch/context.ts';

/** Which records may end the process while they are read: none, those with long texts, or any. */
export type Danger = 'none' | 'long' | 'any';

/**
 * How dangerous it is to read records with these settings. What the library does by itself is bounded; a decoder may make
 * anything of a payload, and functions of the user may never return.
 */
export function dangerOf({ decode, key, namespace, payloadValidation }: Settings): Danger {
  if (decode.some(({ kind }) => kind === 'decoder') || typeof namespace === 'function') return 'any';
  const efforts = new Set([key.effort, payloadValidation === undefined ? 'none' : payloadValidation.effort]);
  if (efforts.has(undefined)) return 'any';
  return decode.length > 0 || efforts.has('bounded') ? 'long' : 'none';
}

/** Whether the record has been received before, for an unknown reason, and could end the process. */
export function isSuspect(record: BatchRecord, danger: Danger): boolean {
  if (danger === 'none' || record.receiveCount === 1) return false;
  return danger === 'any' || record.rawBody.length > LONG_TEXT;
}
