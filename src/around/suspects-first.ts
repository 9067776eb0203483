import { readSuspectsFirst } from './reading-order.ts';
import type { ReadingPolicy, Settings } from '../batch/context.ts';
import { LONG_TEXT } from '../sources/json-text.ts';
import type { BatchRecord } from '../sources/record.ts';

/**
 * For `reading`: SQS messages that came again, and whose reading (`decode`, `key`, `namespace`, `payloadValidation`) could
 * have ended the process, are read before the others and one after the other, under marks in the claims table. So a message
 * that ends the process in its reading does not take its neighbours along at every delivery. It costs three writes and a round trip
 * for such a message, once; a first delivery costs nothing.
 *
 * @example
 * createBatchProcessor(handler, {
 *   decode: decoder((data, record, { signal }) => decrypt(data, record.attributes, signal)),
 *   reading: suspectsFirst(),
 * });
 */
export function suspectsFirst(): ReadingPolicy {
  return {
    option: 'reading',
    read(batch, context) {
      const danger = dangerOf(context.settings);
      const isDangerous = (record: BatchRecord): boolean => isSuspect(record, danger);
      const hasSuspects = batch.delivered.some(({ read }) => 'record' in read && isDangerous(read.record));
      return hasSuspects ? readSuspectsFirst(batch, isDangerous, context) : undefined;
    },
  };
}

/** Which records may end the process while they are read: none, those with long texts, or any. */
type Danger = 'none' | 'long' | 'any';

/**
 * How dangerous it is to read records with these settings. What the library does by itself is bounded; a decoder may make
 * anything of a payload, and functions of the user may never return.
 */
function dangerOf({ decode, key, namespace, payloadValidation }: Settings): Danger {
  if (decode.some(({ kind }) => kind === 'decoder') || typeof namespace === 'function') return 'any';
  const efforts = new Set([key.effort, payloadValidation === undefined ? 'none' : payloadValidation.effort]);
  if (efforts.has(undefined)) return 'any';
  return decode.length > 0 || efforts.has('bounded') ? 'long' : 'none';
}

/** Whether the record has been received before, for an unknown reason, and could end the process. */
function isSuspect(record: BatchRecord, danger: Danger): boolean {
  if (danger === 'none' || record.receiveCount === 1) return false;
  return danger === 'any' || record.rawBody.length > LONG_TEXT;
}
