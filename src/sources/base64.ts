import { Buffer } from 'node:buffer';
import { bytesOfBase64 } from './base64-text.ts';
import { decoder } from './decode-payloads.ts';
import type { DecoderStep } from './decode-step.ts';
import { DecodeError } from './decoder.ts';
import { checkedMaxBytes } from './max-bytes.ts';

/** Bounds of `base64()`. */
export interface Base64Options {
  /** How many bytes a payload may have. Default 10 MB (10,485,760), and no more than a 64th of the function's memory. */
  readonly maxBytes?: number;
}

/**
 * A step of `decode`: the bytes of base64 text, in the usual or the URL alphabet, with or without padding.
 *
 * @param options How long the decoded payload may be.
 */
export function base64(options: Base64Options = {}): DecoderStep {
  const maxBytes = checkedMaxBytes('base64', options);
  return decoder((data) => {
    // Four characters are three bytes; white space and padding make no difference that matters here.
    if (data.length * 0.75 > maxBytes + 3) {
      throw new DecodeError(`The payload has more than ${maxBytes} bytes (maxBytes of base64)`, {
        isRetryable: false,
      });
    }
    return bytesOfBase64(typeof data === 'string' ? data : Buffer.from(data).toString('latin1'));
  });
}
