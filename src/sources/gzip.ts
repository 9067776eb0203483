import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { hasCode } from '../claims/errors.ts';
import { bytesOfBase64 } from './base64.ts';
import { DecodeError, type Decoder } from './decoder.ts';
import { checkedMaxBytes } from './max-bytes.ts';

const gunzipAsync = promisify(gunzip);

export interface GzipOptions {
  /**
   * How many bytes a payload may inflate to; a few kilobytes can hold gigabytes. Default 10 MB (10,485,760), and no more
   * than a 64th of the function's memory: 2 MB at 128 MB.
   */
  readonly maxBytes?: number;
}

/** Inflates gzip: of a text that is base64, as it travels in SQS and SNS, or of bytes. */
export function gzip(options: GzipOptions = {}): Decoder {
  const maxBytes = checkedMaxBytes('gzip', options);
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
