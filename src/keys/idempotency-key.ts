import { Buffer } from 'node:buffer';
import type { BatchRecord } from '../sources/record.ts';
import { KeyError } from './errors.ts';
import type { KeySelector } from './key-selector.ts';

/** The same for all records, or one for each, such as a tenant. */
export type Namespace = string | ((record: BatchRecord) => string);

/** DynamoDB's limit for a partition key, the tightest of the stores'. */
const LONGEST_KEY_BYTES = 2_048;

/**
 * The version of how keys are made. A later algorithm writes another version, so that old and new rows
 * never meet by accident and a change can be rolled out without running work twice.
 */
const VERSION = 'v1';

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * `namespace#v1:…`, or what a selector of whole keys gives: the string that says "the same work". Throws a
 * `KeyError` when there is none.
 */
export function idempotencyKey(record: BatchRecord, select: KeySelector, namespace: Namespace): string {
  const key =
    select.isWholeKey === true
      ? selectedKey(record, select)
      : `${namespaceOf(record, namespace)}#${VERSION}:${selectedKey(record, select)}`;
  // UTF-8 has no half surrogate pairs: a store would refuse the whole request, or make all of them one key.
  if (LONE_SURROGATE.test(key)) throw new KeyError('The key or its namespace is not well-formed Unicode');
  // A UTF-16 unit is at most three bytes: only long keys need to be measured.
  if (key.length * 3 > LONGEST_KEY_BYTES && Buffer.byteLength(key) > LONGEST_KEY_BYTES) {
    throw new KeyError(`The key is longer than ${LONGEST_KEY_BYTES} bytes; hash it, e.g. with payloadHash()`);
  }
  return key;
}

function namespaceOf(record: BatchRecord, namespace: Namespace): string {
  const space = callUserCode('namespace', () =>
    typeof namespace === 'function' ? namespace(record) : namespace,
  );
  if (typeof space !== 'string' || space === '') throw new KeyError('The namespace of this record is empty');
  // With a # in it, tenant `a#v1:b` with key `c` would meet tenant `a` with key `b#v1:c`.
  if (space.includes('#'))
    throw new KeyError('The namespace of this record contains `#`, which ends a namespace');
  return space;
}

function selectedKey(record: BatchRecord, select: KeySelector): string {
  const selected = callUserCode('key', () => select(record));
  if (typeof selected !== 'string' || selected === '') {
    throw new KeyError(
      `The key of this record is ${selected === '' ? 'an empty string' : `${typeof selected}, not a string`}; records without a key must not share one`,
    );
  }
  return selected;
}

function callUserCode(name: string, call: () => unknown): unknown {
  try {
    return call();
  } catch (cause) {
    if (cause instanceof KeyError) throw cause;
    throw new KeyError(`The \`${name}\` function failed for this record: ${String(cause)}`, { cause });
  }
}
