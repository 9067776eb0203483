export type KeyHeader =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'missing' }
  /** Why the header is invalid, without quoting it. */
  | { readonly kind: 'malformed'; readonly reason: string };

export const LONGEST_KEY = 255;

/** Twice the key for escapes, twice for a header repeated by a proxy, and room for quotes and parameters. */
const longestHeader = (longestKey: number): number => 4 * longestKey + 256;

/**
 * Reads the header of draft-ietf-httpapi-idempotency-key-header: a quoted Structured Field String, or the
 * bare token that many clients send. Both forms of a value are the same key; a repeated value counts once,
 * different values are an error. The length is limited before parsing, because the sender is not
 * authenticated.
 */
export function readKeyHeader(
  values: readonly string[],
  rules: KeyRules = keyRules('any', LONGEST_KEY),
): KeyHeader {
  if (values.length === 0) return { kind: 'missing' };
  const { maxLength } = rules;
  const tooLong = malformed(`it is longer than ${maxLength} characters`);
  const length = values.reduce((sum, value) => sum + value.length + 1, 0);
  if (length > longestHeader(maxLength)) return tooLong;
  const keys = new Set<string>();
  for (const value of values) {
    const members = parseList(value);
    if (members === undefined) {
      return malformed('it is neither a quoted string nor a token of visible ASCII characters');
    }
    for (const key of members) keys.add(key);
  }
  for (const key of keys) {
    if (key === '') return malformed('it is empty');
    if (key.length > maxLength) return tooLong;
  }
  const [key, ...others] = keys;
  if (others.length > 0) return malformed('it was sent several times with different values');
  return rules.fits(key as string) ? { kind: 'key', key: key as string } : malformed(rules.misfit);
}

function malformed(reason: string): KeyHeader {
  return { kind: 'malformed', reason };
}

// No text matches these patterns in two ways, so they never backtrack.
const BLANKS = /[ \t]*/y;
/** A String of RFC 9651 (Structured Field Values). */
const QUOTED = /"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/y;
/** Parameters of a quoted string, up to the next member; they are ignored. */
const PARAMETERS = /(?:[ \t]*;(?:"(?:[^"\\]|\\.)*"|[^",])*)?/y;
/** Visible ASCII without quotes, commas and semicolons. */
const BARE = /[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*/y;

/** Splits a header that may combine several lines with commas. A comma inside quotes is part of a value. */
function parseList(text: string): string[] | undefined {
  const keys: string[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found;
  };
  for (;;) {
    take(BLANKS);
    if (text[at] === '"') {
      const quoted = take(QUOTED);
      if (quoted === null) return undefined;
      keys.push((quoted[1] as string).replaceAll(/\\(["\\])/g, '$1'));
      take(PARAMETERS);
    } else keys.push(take(BARE)?.[0] ?? '');
    take(BLANKS);
    if (at === text.length) return keys;
    if (text[at] !== ',') return undefined;
    at += 1;
  }
}

/**
 * The format of keys: `'any'` visible ASCII, a UUID, a pattern of the whole key, or a function of the key.
 */
export type KeyFormat = 'any' | 'uuid' | RegExp | ((key: string) => boolean);

export interface KeyRules {
  /** The maximum length in characters, without quotes and escapes. */
  readonly maxLength: number;
  readonly fits: (key: string) => boolean;
  readonly misfit: string;
}

/** A UUID of RFC 9562, versions 1 to 8. The nil UUID is refused: clients send it by mistake. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

export function keyRules(format: KeyFormat, maxLength: number): KeyRules {
  const misfit = 'it is not in the format that this API requires';
  if (format === 'any') return { maxLength, misfit, fits: () => true };
  if (format === 'uuid') return { maxLength, misfit: 'it is not a UUID', fits: (key) => UUID.test(key) };
  if (typeof format === 'function') return { maxLength, misfit, fits: (key) => isTrue(format(key)) };
  // The pattern must match the whole key. With `g` or `y` it would keep its last position.
  const whole = new RegExp(`^(?:${format.source})$`, format.flags.replaceAll(/[gy]/g, ''));
  return { maxLength, misfit, fits: (key) => whole.test(key) };
}

/** Returns whether a format function returned true. A promise counts as false. */
function isTrue(answer: unknown): boolean {
  if (answer instanceof Promise) answer.catch(() => undefined);
  return answer === true;
}
