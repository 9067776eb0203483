import type { BatchRecord } from '../sources/record.ts';
import type { KeySelector } from './key-selector.ts';
import { keyString } from './key-string.ts';

/** The same for all records, or one for each, such as a tenant. */
export type Namespace = string | ((record: BatchRecord) => string);

/**
 * The version of how keys are made. A later algorithm writes another version, so that old and new rows
 * never meet by accident and a change can be rolled out without running work twice.
 */
const VERSION = 'v1';

/**
 * `namespace#v1:…`, or what a selector of whole keys gives: the string that says "the same work". Throws a
 * `KeyError` when there is none.
 */
export function idempotencyKey(record: BatchRecord, select: KeySelector, namespace: Namespace): string {
  return keyString({
    of: 'record',
    prefix:
      select.isWholeKey === true
        ? undefined
        : { namespace: () => namespaceOf(record, namespace), version: VERSION },
    key: () => select(record),
  });
}

function namespaceOf(record: BatchRecord, namespace: Namespace): string {
  return typeof namespace === 'function' ? namespace(record) : namespace;
}
