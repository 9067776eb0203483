import { PermanentError } from '../attempts/errors.ts';
import { assertHashable, canonicalText } from '../keys/canonical-json.ts';
import { exactBody } from '../sources/exact-numbers.ts';
import type { BatchRecord } from '../sources/record.ts';

/**
 * The record's body as canonical JSON: two messages of one key that differ in white space or in the order of members
 * are one payload. Throws a `PermanentError` for a body in which a number has more digits than JavaScript reads.
 */
export function bodyText(record: BatchRecord): string {
  return exactly(() => {
    assertHashable(exactBody(record));
    return canonicalText(record.body);
  });
}

/** What `payload` gave as canonical JSON. Throws a `PermanentError` for what JSON does not show. */
export function payloadText(value: unknown): string {
  return exactly(() => canonicalText(value));
}

function exactly(text: () => string): string {
  try {
    return text();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PermanentError(`The durable execution would not get what was sent. ${why}`, { cause });
  }
}
