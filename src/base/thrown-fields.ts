import { isObject } from './is-object.ts';

/** Members that describe a failure. No others are shown: a thrown object may be the request body. */
const OF_FAILURES =
  /^(error|err|failure|decline|status|http|exit|sql|result|grpc)?_?(code|reason|status|type|kind|message|title|detail|description|hint|state)$|^(error|errno|syscall|(is)?retryable|requestId|traceId)$/i;
const MOST_FIELDS = 20;
const LONGEST_FIELD = 200;

/** Returns as JSON the unnested members of a thrown non-error that describe the failure, if any. */
export function thrownFields(thrown: unknown): string | undefined {
  if (!isObject(thrown) || Array.isArray(thrown)) return undefined;
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  let count = 0;
  for (const name of Object.keys(thrown)) {
    if (count === MOST_FIELDS) break;
    const value = shown((thrown as Readonly<Record<string, unknown>>)[name]);
    if (value === undefined || !OF_FAILURES.test(name)) continue;
    fields[name] = value;
    count += 1;
  }
  return count === 0 ? undefined : JSON.stringify(fields);
}

function shown(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'string') return undefined;
  return value.length > LONGEST_FIELD ? `${value.slice(0, LONGEST_FIELD)}…` : value;
}

/**
 * Messages in which JavaScript quotes a text it could not parse, with groups of what is kept. The usual
 * source is `JSON.parse` of a body, whose message would carry the body into causes and other errors.
 */
const QUOTING: readonly RegExp[] = [
  /(Unexpected token )[^]{1,8}?, (?:\.\.\.)?"[^]*"(?:\.\.\.)?( is not valid JSON)/g,
  /()"[^]*"( is not valid JSON)/g,
  /(Unexpected token )[^]{1,8}?( in JSON at position)/g,
  /(Cannot convert )[^]*( to a BigInt)/g,
  /(The number )[^]*( cannot be converted to a BigInt)/g,
  /(Invalid regular expression: \/)[^]*(\/)/g,
];

/** Only the beginning of longer messages is examined: the patterns take quadratic time. */
const LONGEST = 2_048;

/** Longer than a quotation: a message that is cut within one may lose the words that identify it. */
const LONGEST_QUOTATION = 256;

/** Returns a message without quotations of unparsable text, at most 2,048 UTF-16 units long. */
export function redactQuotes(message: string): string {
  let kept = message.slice(0, LONGEST);
  for (const pattern of QUOTING) kept = kept.replace(pattern, '$1…$2');
  return message.length > LONGEST ? kept.slice(0, -LONGEST_QUOTATION) : kept;
}
