import { hasCode } from '../base/errors.ts';
import { DecodeError } from './decode-step.ts';
import { maxParsedBytes } from './function-memory.ts';
import type { BatchRecord } from './record.ts';
import type { ReadRecord } from './source.ts';

/** Texts up to this length, in UTF-16 units, are parsed without a check: none exhausts the memory. */
export const LONG_TEXT: number = 256 * 1_024;

/** Far deeper than real payloads, yet safe for recursive code such as `JSON.stringify`. */
export const DEEPEST = 500;

/** Bytes of V8's heap per array, object, member and value; measured on Node 20 and rounded up. */
const ARRAY_BYTES = 64;
const OBJECT_BYTES = 80;
const MEMBER_BYTES = 32;
/** Added for a member whose name may be a number: V8 keeps such members in a table. */
const INDEX_BYTES = 64;
const VALUE_BYTES = 16;

/**
 * Checks a long JSON text before it is parsed. A few kilobytes of gzip can hold megabytes of brackets, which
 * take 30 times as much memory once parsed, and running out of memory fails the whole batch. Throws a
 * `DecodeError` for JSON nested too deep or too large; anything but an object or array passes.
 */
export function assertParsable(text: string): void {
  if (text.length <= LONG_TEXT || !/^\s*[[{]/.test(text)) return;
  const most = maxParsedBytes();
  let depth = 0;
  let bytes = 0;
  let lastString = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22: // "
        lastString = index;
        index = endOfString(text, index);
        continue;
      case 0x5b: // [
        depth += 1;
        bytes += ARRAY_BYTES;
        break;
      case 0x7b: // {
        depth += 1;
        bytes += OBJECT_BYTES;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        continue;
      case 0x3a: // :
        bytes += MEMBER_BYTES + (/[\d\\]/.test(text.charAt(lastString + 1)) ? INDEX_BYTES : 0);
        continue;
      case 0x2c: // ,
        bytes += VALUE_BYTES;
        break;
      default:
        continue;
    }
    if (depth > DEEPEST) throw refusal(`is nested deeper than ${DEEPEST} levels`);
    if (bytes > most) {
      throw refusal(
        `has values that would take more than ${most} bytes, a 16th of the function's memory; ` +
          'give the function more',
      );
    }
  }
}

function refusal(problem: string): DecodeError {
  return new DecodeError(`The payload is a JSON text that ${problem}`, { isRetryable: false });
}

const BACKSLASH = 0x5c;

/** Returns the index of the closing quote of the string that starts at `start`, or the length of the text. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, index: number): boolean {
  let before = index - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (index - before) % 2 === 0;
}

/** Parses JSON, and returns other text as it is. Throws a `DecodeError` for JSON too large to parse. */
export function parseJsonOrText(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  assertParsable(text);
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** Checks a delivered text with `assertParsable` before a key or a handler parses it. */
export function readText<Record extends BatchRecord>(record: Record, text: string): ReadRecord<Record> {
  if (text.length <= LONG_TEXT) return { record };
  try {
    assertParsable(record.rawBody);
    return { record };
  } catch (thrown) {
    return unreadable(thrown, record);
  }
}

/** Returns the entry of an unreadable payload. Only a `DecodeError` keeps the record as it was delivered. */
export function unreadable<Record extends BatchRecord>(
  thrown: unknown,
  delivered: Record,
): Extract<ReadRecord<Record>, { error: Error }> {
  const error = thrown as Error;
  return hasCode(thrown, 'BATCHLATCH_DECODE') ? { error, isRetryable: false, delivered } : { error };
}
