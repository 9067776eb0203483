import { mayBeInexact, parseExactly } from './exact-numbers.ts';
import type { BatchRecord } from './record.ts';
import { type ExactReader, isTextRecord } from './text-record.ts';

/**
 * The record's body, in which a number that a double does not hold exactly is `Infinity`: keys are made of it, and two
 * numbers that are read as one must not make one key. Throws a `MalformedRecordError` for bytes that are no UTF-8.
 */
export function exactBody(record: BatchRecord): unknown {
  return isTextRecord(record) ? record.bodyReadBy(EXACT) : record.body;
}

const EXACT: ExactReader = {
  // A text inside a text may have its digits escaped.
  mayDiffer: (text, isEnveloped) => mayBeInexact(text) || (isEnveloped && text.includes(String.raw`\u00`)),
  parse: parseExactly,
};
