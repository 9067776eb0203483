import { isObject } from '../base/is-object.ts';
import { toStoredError } from '../claims/claim.ts';
import { KeyError } from './errors.ts';
import type { KeySelector } from './key-selector.ts';
import type { BatchRecord } from '../sources/record.ts';

/** The parts of a key. The functions are the user's; their errors become `KeyError`s. */
export interface KeyParts<Subject = undefined> {
  /** The subject of the key, for error messages. */
  readonly of: 'record' | 'call' | 'request' | 'message';
  /** Undefined if `key` returns the whole key. Different versions of making keys never share one. */
  readonly prefix:
    | { readonly namespace: (subject: Subject) => unknown; readonly version: string }
    | undefined;
  readonly key: (subject: Subject) => unknown;
}

/** DynamoDB's limit for a partition key, the lowest of all stores. */
const LONGEST_KEY_BYTES = 2_048;

/** Returns `namespace#version:key`. Throws a `KeyError` for parts that would let different work share it. */
export function keyString<Subject = undefined>(
  { of, prefix, key }: KeyParts<Subject>,
  subject?: Subject,
): string {
  const before = prefix === undefined ? '' : prefixOf(of, prefix, subject as Subject);
  return checkedKey(before + selectedKey(of, key, subject as Subject));
}

/** Throws a `KeyError` if a store could not keep the key. */
function checkedKey(whole: string): string {
  // UTF-8 cannot encode lone surrogates: a store would reject the whole request, or replace them all alike.
  if (!whole.isWellFormed())
    throw new KeyError('The key or its namespace is not well-formed Unicode: leave out lone surrogates');
  // A UTF-16 unit takes at most three bytes, so only long keys are measured.
  if (whole.length * 3 > LONGEST_KEY_BYTES && Buffer.byteLength(whole) > LONGEST_KEY_BYTES) {
    throw new KeyError(`The key is longer than ${LONGEST_KEY_BYTES} bytes; hash it, e.g. with payloadHash()`);
  }
  return whole;
}

function prefixOf<Subject>(
  of: string,
  { namespace, version }: NonNullable<KeyParts<Subject>['prefix']>,
  subject: Subject,
): string {
  const space = callUserCode('namespace', of, namespace, subject);
  refusePromise('namespace', of, space);
  if (typeof space !== 'string' || space === '')
    throw new KeyError(`The namespace of this ${of} is empty; \`namespace\` must return a non-empty string`);
  // Otherwise tenant `a#v1:b` with key `c` would equal tenant `a` with key `b#v1:c`.
  if (space.includes('#'))
    throw new KeyError(
      `The namespace of this ${of} contains \`#\`, which ends a namespace: use another character`,
    );
  return `${space}#${version}:`;
}

function selectedKey<Subject>(of: string, key: (subject: Subject) => unknown, subject: Subject): string {
  const selected = callUserCode('key', of, key, subject);
  if (typeof selected === 'object') refusePromise('key', of, selected);
  if (typeof selected !== 'string' || selected === '') {
    throw new KeyError(
      `The key of this ${of} is ` +
        `${selected === '' ? 'an empty string' : `${typeof selected}, not a string`}; ` +
        `${of}s without a key must not share one`,
    );
  }
  return selected;
}

function callUserCode<Subject>(
  name: string,
  of: string,
  call: (subject: Subject) => unknown,
  subject: Subject,
): unknown {
  try {
    return call(subject);
  } catch (cause) {
    if (cause instanceof KeyError) throw cause;
    const { name: error, message } = toStoredError(cause);
    throw new KeyError(`The \`${name}\` function failed for this ${of}: ${error}: ${message}`, { cause });
  }
}

/** Throws for a promise, because keys are made synchronously. Its rejection must not end the process. */
export function refusePromise(name: string, of: string, given: unknown): void {
  if (!isObject(given) || !('then' in given) || typeof given.then !== 'function') return;
  Promise.resolve(given).catch(() => undefined);
  throw new KeyError(
    `The \`${name}\` function of this ${of} returned a promise; it must return its value synchronously`,
  );
}

/** A namespace for all records, or a function that returns one for each, such as a tenant. */
export type Namespace = string | ((record: BatchRecord) => string);

/** The version of the algorithm that makes keys. Keys of another version never match by accident. */
const VERSION = 'v1';

/**
 * Returns the maker of keys, `namespace#v1:…`, or with another version in place of `v1`. It throws a
 * `KeyError` for a record without one.
 */
export function keyMaker(
  select: KeySelector,
  namespace: Namespace,
  version: string = VERSION,
): (record: BatchRecord) => string {
  const isConstant = typeof namespace === 'string';
  const space = isConstant ? () => namespace : namespace;
  const prefix = select.isWholeKey === true ? undefined : { namespace: space, version };
  const parts: KeyParts<BatchRecord> = { of: 'record', prefix, key: select };
  if (!isConstant || prefix === undefined) return (record) => keyString(parts, record);
  let before: string | undefined;
  return (record) => {
    before ??= prefixOf('record', prefix, record); // if it throws, every record gets the error
    return checkedKey(before + selectedKey('record', select, record));
  };
}

export function idempotencyKey(record: BatchRecord, select: KeySelector, namespace: Namespace): string {
  return keyMaker(select, namespace)(record);
}
