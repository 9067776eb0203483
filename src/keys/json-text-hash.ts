import { assertParsable } from '../sources/json-bounds.ts';
import { parseExactly } from '../sources/exact-numbers.ts';
import { canonicalHash } from './canonical-json.ts';

/**
 * SHA-256, in hex, of the canonical form of a JSON text: equal exactly when the texts hold equal values. Throws a `KeyError`
 * for values without an exact form, numbers that `JSON.parse` would round among them; a `DecodeError` for a text that is
 * too large to be parsed; and what `JSON.parse` throws.
 */
export function jsonTextHash(text: string): string {
  assertParsable(text);
  return canonicalHash(parseExactly(text));
}
