import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { KeyError } from './errors.ts';

/** Deeper than any real message; far below what would overflow the stack. */
const DEEPEST = 200;

/** SHA-256, in hex, of RFC 8785 canonical JSON. Throws a `KeyError` for what has no exact canonical form. */
export function canonicalHash(value: unknown): string {
  assertHashable(value);
  let canonical: string | undefined;
  try {
    canonical = canonicalize(value);
  } catch (cause) {
    throw new KeyError('The payload has no canonical JSON form', { cause });
  }
  if (canonical === undefined) throw new KeyError('The payload is undefined and has no canonical JSON form');
  return hash('sha256', canonical);
}

/**
 * Canonical JSON is written by recursion: a payload of a million brackets must not overflow the stack. And
 * JSON integers become doubles when they are parsed, 9007199254740993 becomes 9007199254740992: two orders
 * would have one key. RFC 8785 (appendix D) leaves such numbers to strings; here they are refused.
 */
function assertHashable(value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) throw new KeyError(`The payload is nested deeper than ${DEEPEST} levels`);
    const next: unknown[] = [];
    for (const node of level) {
      if (node instanceof Set || node instanceof Map) {
        // Canonical JSON would see no members: all sets of DynamoDB, whatever they hold, would be one key.
        throw new KeyError(
          'The payload has a Set or a Map, which JSON cannot carry; leave it out of the key',
        );
      }
      if (typeof node === 'object' && node !== null) {
        for (const child of Object.values(node)) next.push(child);
      } else if (typeof node === 'number' && Number.isInteger(node) && !Number.isSafeInteger(node)) {
        throw new KeyError(
          'The payload has an integer beyond 2^53, which JSON numbers cannot carry exactly; send it as a string, or exclude it from the key',
        );
      }
    }
    level = next;
  }
}
