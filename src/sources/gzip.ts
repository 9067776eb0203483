import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ConfigurationError, hasCode } from '../claims/errors.ts';
import { bytesOfBase64 } from './base64.ts';
import { DecodeError, type Decoder, DEFAULT_MAX_BYTES } from './decoder.ts';

const gunzipAsync = promisify(gunzip);

export interface GzipOptions {
  /** How many bytes a payload may inflate to; a few kilobytes can hold gigabytes. Default 10 MB (10,485,760). */
  readonly maxBytes?: number;
}

/** Inflates gzip: of a text that is base64, as it travels in SQS and SNS, or of bytes. */
export function gzip({ maxBytes = DEFAULT_MAX_BYTES, ...unknown }: GzipOptions = {}): Decoder {
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) {
    throw new ConfigurationError(`Unknown option \`${stranger}\` of gzip; known is maxBytes`);
  }
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
    throw new ConfigurationError(
      `Expected \`maxBytes\` of gzip to be an integer from 1 up, got \`${String(maxBytes)}\``,
    );
  }
  return async (data) => {
    const compressed = typeof data === 'string' ? bytesOfBase64(data) : data;
    try {
      return await gunzipAsync(compressed, { maxOutputLength: maxBytes });
    } catch (cause) {
      const message = hasCode(cause, 'ERR_BUFFER_TOO_LARGE')
        ? `The payload inflates to more than ${maxBytes} bytes (maxBytes of gzip)`
        : 'The payload is not gzip';
      throw new DecodeError(message, { cause, isRetryable: false });
    }
  };
}
