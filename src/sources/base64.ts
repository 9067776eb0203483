import { Buffer } from 'node:buffer';
import { DecodeError, type Decoder } from './decoder.ts';

/** The bytes of base64 text, in the usual or the URL alphabet, with or without padding. */
export function base64(): Decoder {
  return (data) => bytesOfBase64(typeof data === 'string' ? data : Buffer.from(data).toString('latin1'));
}

/** Throws a `DecodeError` for any other text, which `Buffer` would read as far as it can. */
export function bytesOfBase64(text: string): Buffer {
  const trimmed = text.trim();
  if (!/^[\w+/-]*={0,2}$/.test(trimmed) || trimmed.replace(/=+$/, '').length % 4 === 1) {
    throw new DecodeError('The payload is not base64', { isRetryable: false });
  }
  return Buffer.from(trimmed, 'base64');
}
