import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import pLimit from 'p-limit';
import { hasCode } from '../base/errors.ts';
import { bytesOfBase64 } from './base64.ts';
import { decoder } from './decode-payloads.ts';
import { DecodeError, type DecoderStep } from './decode-step.ts';
import { LONG_TEXT } from './json-text.ts';
import { checkedMaxBytes } from './function-memory.ts';

const gunzipAsync = promisify(gunzip);

/** Inflating holds the output twice, in chunks and joined, besides the decoded text. */
const oneLongAtATime = pLimit(1);

/** Options of `gzip()`. */
export interface GzipOptions {
  /**
   * The most bytes a payload may inflate to; a few kilobytes of gzip can hold gigabytes. Default 10 MB
   * (10,485,760), or a 64th of the function's memory if that is less: 2 MB at 128 MB.
   */
  readonly maxBytes?: number;
}

/**
 * Returns a step of `decode` that inflates gzip from bytes, or from base64 text as in SQS and SNS messages.
 * Payloads that inflate to more than 256 KB are processed one at a time in the whole process, smaller ones
 * concurrently. Throws a `ConfigurationError` for invalid options.
 *
 * @param options The maximum length of the inflated payload.
 */
export function gzip(options: GzipOptions = {}): DecoderStep {
  const maxBytes = checkedMaxBytes('gzip', options);
  return decoder(async (data) => {
    const compressed = typeof data === 'string' ? bytesOfBase64(data) : data;
    try {
      return await inflate(compressed, maxBytes);
    } catch (cause) {
      const message = hasCode(cause, 'ERR_BUFFER_TOO_LARGE')
        ? `The payload inflates to more than ${maxBytes} bytes (maxBytes of gzip)`
        : 'The payload is not gzip, as `decode` expects: correct it, or the sender';
      throw new DecodeError(message, { cause, isRetryable: false });
    }
  });
}

async function inflate(compressed: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  if (maxBytes <= LONG_TEXT) return gunzipAsync(compressed, { maxOutputLength: maxBytes });
  try {
    return await gunzipAsync(compressed, { maxOutputLength: LONG_TEXT }); // the only way to learn its length
  } catch (thrown) {
    if (!hasCode(thrown, 'ERR_BUFFER_TOO_LARGE')) throw thrown;
  }
  return oneLongAtATime(() => gunzipAsync(compressed, { maxOutputLength: maxBytes }));
}
