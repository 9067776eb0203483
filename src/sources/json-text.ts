import { hasCode } from '../base/errors.ts';
import { DecodeError } from './decode-step.ts';
import { maxParsedBytes } from './function-memory.ts';
import type { BatchRecord } from './record.ts';
import type { ReadRecord } from './source.ts';

/** Shorter texts are parsed unseen: whatever they hold, a process survives it. In UTF-16 units. */
export const LONG_TEXT: number = 256 * 1_024;

/** Deeper than anything that is meant; what walks a value by recursion, as `JSON.stringify` does, survives it. */
const DEEPEST = 500;

/** What V8 makes of one character outside strings, in bytes; measured on Node 20 and rounded up. */
const ARRAY_BYTES = 64;
const OBJECT_BYTES = 80;
const MEMBER_BYTES = 32;
/** Of a member whose name is a number, or may be one: V8 keeps a table for them. */
const INDEX_BYTES = 64;
const VALUE_BYTES = 16;

/**
 * Looks at a long JSON text before it is parsed. A few kilobytes of gzip hold megabytes of brackets, which take 30 times
 * as much memory as values, and a process that runs out of memory takes all records of its batch along. Throws a
 * `DecodeError` for what is nested too deep or would be too large; what is no JSON is left to the parser.
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
        `has so many values that they would take more than ${most} bytes, a 16th of the function's memory; give the function more`,
      );
    }
  }
}

function refusal(problem: string): DecodeError {
  return new DecodeError(`The payload is a JSON text that ${problem}`, { isRetryable: false });
}

const BACKSLASH = 0x5c;

/** Where the string literal that starts at `start` ends: the index of its closing quote, or the text's length. */
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

/** JSON where it is JSON, else the text itself. Throws a `DecodeError` for JSON that would be too large as a value. */
export function parseJsonOrText(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  assertParsable(text);
  try {
    return parse(text);
  } catch {
    return text;
  }
}

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
