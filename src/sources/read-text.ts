import { hasCode } from '../claims/errors.ts';
import { assertParsable, LONG_TEXT } from './json-bounds.ts';
import type { BatchRecord } from './record.ts';
import type { ReadRecord, Reading } from './source-batch.ts';
import type { OpenedBody } from './text-record.ts';
import { unwrapBody } from './unwrap.ts';

/** The text that was delivered, which may have to be made first. */
export interface DeliveredText {
  /** At least as many UTF-16 units as the text has. */
  readonly longest: number;
  read(): string;
}

/**
 * Makes the record of a text: takes it out of its envelopes, where there are any. `decoded` is the text that
 * `decode` made. A text that cannot be parsed within the function's memory is an error now, before a key or a handler
 * asks for the body.
 */
export function readText(
  { unwrap, decoded }: Reading,
  index: number,
  delivered: DeliveredText,
  makeRecord: (opened: OpenedBody | undefined, decodedText: string | undefined) => BatchRecord,
): ReadRecord {
  const decodedText = decoded?.(index);
  try {
    if (unwrap.length === 0) {
      const longest = decodedText?.length ?? delivered.longest;
      if (longest > LONG_TEXT) assertParsable(decodedText ?? delivered.read());
      return { record: makeRecord(undefined, decodedText) };
    }
    const text = decodedText ?? delivered.read();
    const opened = unwrapBody(text, unwrap);
    if ('ignored' in opened) return opened;
    const { envelope, body } = opened;
    const isKept = text.length <= LONG_TEXT;
    return { record: makeRecord({ envelope, steps: unwrap, ...(isKept && { body }) }, decodedText) };
  } catch (thrown) {
    const error = thrown as Error;
    return hasCode(thrown, 'BATCHLATCH_DECODE')
      ? { error, isRetryable: false, delivered: makeRecord(undefined, decodedText) }
      : { error };
  }
}
