import { Buffer } from 'node:buffer';
import { DecodeError, type Decoder } from './decoder.ts';
import { checkedMaxBytes } from './max-bytes.ts';

export interface Base64Options {
  /** How many bytes a payload may have. Default 10 MB (10,485,760), and no more than a 64th of the function's memory. */
  readonly maxBytes?: number;
}

/** The bytes of base64 text, in the usual or the URL alphabet, with or without padding. */
export function base64(options: Base64Options = {}): Decoder {
  const maxBytes = checkedMaxBytes('base64', options);
  return (data) => {
    // Four characters are three bytes; white space and padding make no difference that matters here.
    if (data.length * 0.75 > maxBytes + 3) {
      throw new DecodeError(`The payload has more than ${maxBytes} bytes (maxBytes of base64)`, {
        isRetryable: false,
      });
    }
    return bytesOfBase64(typeof data === 'string' ? data : Buffer.from(data).toString('latin1'));
  };
}

/** Throws a `DecodeError` for any other text, which `Buffer` would read as far as it can. */
export function bytesOfBase64(text: string): Buffer {
  const trimmed = text.trim();
  if (!/^[\w+/-]*={0,2}$/.test(trimmed) || trimmed.replace(/=+$/, '').length % 4 === 1) {
    throw new DecodeError('The payload is not base64', { isRetryable: false });
  }
  return Buffer.from(trimmed, 'base64');
}
