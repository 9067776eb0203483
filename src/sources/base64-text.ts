import { Buffer } from 'node:buffer';
import { DecodeError } from './decoder.ts';

/** Why bytes that are no UTF-8 make no key. */
export const NOT_UTF8 =
  'The payload is not UTF-8, so it has no key: different bytes would have the same text';

/** The text of bytes that arrive as base64, as Lambda delivers them. Bytes that are no UTF-8 become U+FFFD. */
export function textOfBase64(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** Throws a `DecodeError` for any other text, which `Buffer` would read as far as it can. */
export function bytesOfBase64(text: string): Buffer {
  const trimmed = text.trim();
  if (!/^[\w+/-]*={0,2}$/.test(trimmed) || trimmed.replace(/=+$/, '').length % 4 === 1) {
    throw new DecodeError('The payload is not base64', { isRetryable: false });
  }
  return Buffer.from(trimmed, 'base64');
}
