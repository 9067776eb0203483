import { hasCode } from '../base/errors.ts';
import { assertParsable, LONG_TEXT } from './json-bounds.ts';
import type { BatchRecord } from './record.ts';
import type { ReadRecord } from './source.ts';

/**
 * Looks at a record whose text, as it was delivered, may be long. One that cannot be parsed within the function's memory is
 * an error now, before a key or a handler asks for the body.
 */
export function readText<Record extends BatchRecord>(record: Record, text: string): ReadRecord<Record> {
  if (text.length <= LONG_TEXT) return { record };
  try {
    assertParsable(record.rawBody);
    return { record };
  } catch (thrown) {
    return unreadable(thrown, record);
  }
}

/** What makes a payload unreadable; a missing envelope is not a fault of the delivered payload. */
export function unreadable<Record extends BatchRecord>(
  thrown: unknown,
  delivered: Record,
): Extract<ReadRecord<Record>, { error: Error }> {
  const error = thrown as Error;
  return hasCode(thrown, 'BATCHLATCH_DECODE') ? { error, isRetryable: false, delivered } : { error };
}
