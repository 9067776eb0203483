import { DecodeError } from './decoder.ts';
import { maxParsedBytes } from './function-memory.ts';
import { endOfString } from './json-scan.ts';

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
