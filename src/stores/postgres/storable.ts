import { StoreError } from '../../base/errors.ts';

/**
 * PostgreSQL's `text` holds any character but U+0000, and no half of a surrogate pair. In a key these are
 * written with a backslash (`\0`, `\ud800`), and a backslash is written twice: two keys that differ are
 * stored as two.
 */
const UNSTORABLE = /[\\\0\p{Surrogate}]/u;
const EACH_UNSTORABLE = new RegExp(UNSTORABLE, 'gu');

/** An index entry holds 2,704 bytes, some of them its own. */
const LONGEST_KEY_BYTES = 2_600;

/** Returns a key as it is stored. Throws a `StoreError` if it is too long. */
export function storedKey(key: string): string {
  const stored = escapedKey(key);
  // Three bytes of UTF-8 at most for each of a string's units.
  if (stored.length * 3 > LONGEST_KEY_BYTES && Buffer.byteLength(stored) > LONGEST_KEY_BYTES) {
    throw new StoreError(
      `The key has ${Buffer.byteLength(stored)} bytes, and PostgreSQL's index holds ` +
        `${LONGEST_KEY_BYTES}. Use a hash of it.`,
      { isRetryable: false },
    );
  }
  return stored;
}

/** Returns a prefix of keys as it is stored. */
export function escapedKey(key: string): string {
  if (!UNSTORABLE.test(key)) return key;
  return key.replaceAll(EACH_UNSTORABLE, (unit) => {
    if (unit === '\\') return '\\\\';
    return unit === '\0' ? '\\0' : `\\u${unit.charCodeAt(0).toString(16)}`;
  });
}

export function keyOf(stored: string): string {
  if (!stored.includes('\\')) return stored;
  return stored.replaceAll(/\\(?:u([0-9a-f]{4})|(.))/gs, (_all, unit: string | undefined, one: string) => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
    return one === '0' ? '\0' : one;
  });
}

/** Removes the characters that PostgreSQL cannot store, from a text that only people read. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\u{fffd}').toWellFormed();
}

/** A thousand years: a timestamp holds it, from today on. */
const LONGEST_MS = 1_000 * 365 * 24 * 3_600_000;

/** Limits a duration, so that the time it leads to can be stored. */
export function storableMs(ms: number): number {
  return Math.min(ms, LONGEST_MS);
}

/** As JSON, which `jsonb` takes, whatever the texts in it. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => (typeof one === 'string' ? storableText(one) : one));
}
