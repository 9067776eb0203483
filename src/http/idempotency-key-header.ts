/** What a request says about its key. */
export type KeyHeader =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'missing' }
  /** Why the header cannot be a key, without the header's own words. */
  | { readonly kind: 'malformed'; readonly reason: string };

const LONGEST_KEY = 255;

/** A String of RFC 9651 (Structured Field Values), and its parameters, which the header gives no meaning. */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"\s*(?:;.*)?$/;
/** Visible ASCII, but for what separates values, parameters and quotes. */
const RAW = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/;

/**
 * Reads the header of draft-ietf-httpapi-idempotency-key-header: a quoted Structured Field String, or the bare token
 * that many clients send. Both forms of one value are one key; the same value twice is one value, two values are none.
 */
export function readKeyHeader(values: readonly string[]): KeyHeader {
  const members = values.flatMap((value) => splitList(value));
  if (members.length === 0) return { kind: 'missing' };
  const keys = new Set<string>();
  for (const member of members) {
    const key = decode(member);
    if (key === undefined) {
      return {
        kind: 'malformed',
        reason: 'it is neither a quoted string nor a token of visible ASCII characters',
      };
    }
    if (key === '') return { kind: 'malformed', reason: 'it is empty' };
    if (key.length > LONGEST_KEY) {
      return { kind: 'malformed', reason: `it is longer than ${LONGEST_KEY} characters` };
    }
    keys.add(key);
  }
  const [key, ...others] = keys;
  if (others.length > 0) return { kind: 'malformed', reason: 'it came several times with different values' };
  return { kind: 'key', key: key as string };
}

/** Several header lines may come as one, joined by commas; a comma inside quotes is part of a value. */
function splitList(value: string): string[] {
  return (value.match(/(?:"(?:\\.|[^"\\])*"|[^,])+|(?<=^|,)(?=,|$)/g) ?? ['']).map((member) => member.trim());
}

function decode(member: string): string | undefined {
  if (member === '') return '';
  const quoted = QUOTED.exec(member);
  if (quoted !== null) return (quoted[1] as string).replace(/\\(["\\])/g, '$1');
  return RAW.test(member) ? member : undefined;
}
