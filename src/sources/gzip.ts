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

/** Beside the text that it becomes, what inflates is there twice, in pieces and as a whole. */
const oneLongAtATime = pLimit(1);

/** Bounds of `gzip()`. */
export interface GzipOptions {
  /**
   * How many bytes a payload may inflate to; a few kilobytes can hold gigabytes. Default 10 MB (10,485,760), and no more
   * than a 64th of the function's memory: 2 MB at 128 MB.
   */
  readonly maxBytes?: number;
}

/**
 * A step of `decode`: inflates gzip, of a text that is base64, as it travels in SQS and SNS, or of bytes. Payloads of more than 256 KB are
 * inflated one after the other in the whole process, the others side by side.
 *
 * @param options How long the unpacked payload may be.
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
        : 'The payload is not gzip';
      throw new DecodeError(message, { cause, isRetryable: false });
    }
  });
}

async function inflate(compressed: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  if (maxBytes <= LONG_TEXT) return gunzipAsync(compressed, { maxOutputLength: maxBytes });
  try {
    return await gunzipAsync(compressed, { maxOutputLength: LONG_TEXT }); // nothing else tells how long it is
  } catch (thrown) {
    if (!hasCode(thrown, 'ERR_BUFFER_TOO_LARGE')) throw thrown;
  }
  return oneLongAtATime(() => gunzipAsync(compressed, { maxOutputLength: maxBytes }));
}
