import type { BatchRecord } from './record.ts';
import type { ReadRecord, Reading } from './source-batch.ts';
import type { OpenedBody } from './text-record.ts';
import { unwrapBody } from './unwrap.ts';

/**
 * Makes the record of a text: takes it out of its envelopes, where there are any. `decoded` is the text that
 * `decode` made, `delivered` gives the one that was delivered.
 */
export function readText(
  { unwrap, decoded }: Reading,
  index: number,
  delivered: () => string,
  makeRecord: (opened: OpenedBody | undefined, decodedText: string | undefined) => BatchRecord,
): ReadRecord {
  const decodedText = decoded?.(index);
  if (unwrap.length === 0) return { record: makeRecord(undefined, decodedText) };
  try {
    const opened = unwrapBody(decodedText ?? delivered(), unwrap);
    return 'ignored' in opened ? opened : { record: makeRecord(opened, decodedText) };
  } catch (thrown) {
    return { error: thrown as Error };
  }
}
