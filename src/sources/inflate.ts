import { promisify } from 'node:util';
import type { gunzip } from 'node:zlib';
import pLimit from 'p-limit';
import { hasCode } from '../base/errors.ts';
import { DecodeError } from './decode-step.ts';
import { LONG_TEXT } from './json-text.ts';

/** Inflating holds the output twice, in chunks and joined, besides the decoded text. */
const oneLongAtATime = pLimit(1);

/**
 * Inflates a payload to at most `maxBytes` with a function of `node:zlib`, whose `format` errors name.
 * Payloads that inflate to more than 256 KB are processed one at a time in the whole process. Throws a
 * `DecodeError` for longer and for damaged ones.
 */
export async function inflatePayload(
  [format, inflate]: readonly [format: string, inflate: typeof gunzip],
  compressed: Uint8Array,
  maxBytes: number,
): Promise<Buffer> {
  try {
    return await inflateWithin(inflate, compressed, maxBytes);
  } catch (cause) {
    const message = isTooLong(cause)
      ? `The payload inflates to more than ${maxBytes} bytes (maxBytes)`
      : `The payload is not ${format}, as \`decode\` expects: correct it, or the sender`;
    throw new DecodeError(message, { cause, isRetryable: false });
  }
}

async function inflateWithin(
  inflate: typeof gunzip,
  compressed: Uint8Array,
  maxBytes: number,
): Promise<Buffer> {
  const inflated = promisify(inflate);
  if (maxBytes <= LONG_TEXT) return inflated(compressed, { maxOutputLength: maxBytes });
  try {
    return await inflated(compressed, { maxOutputLength: LONG_TEXT }); // the only way to learn its length
  } catch (thrown) {
    if (!isTooLong(thrown)) throw thrown;
  }
  return oneLongAtATime(() => inflated(compressed, { maxOutputLength: maxBytes }));
}

function isTooLong(thrown: unknown): boolean {
  return hasCode(thrown, 'ERR_BUFFER_TOO_LARGE');
}
