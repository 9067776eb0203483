import type { BatchRecord } from '../sources/record.ts';
import type { KeySelector } from './key-selector.ts';
import { checkedKey, type KeyParts, keyStringOf, prefixOf, selectedKey } from './key-string.ts';

/** The same for all records, or one for each, such as a tenant. */
export type Namespace = string | ((record: BatchRecord) => string);

/**
 * The version of how keys are made. A later algorithm writes another version, so that old and new rows
 * never meet by accident and a change can be rolled out without running work twice.
 */
const VERSION = 'v1';

/**
 * Makes keys: `namespace#v1:…`, or what a selector of whole keys gives, the string that says "the same work". Throws a
 * `KeyError` where there is none.
 */
export function keyMaker(select: KeySelector, namespace: Namespace): (record: BatchRecord) => string {
  const isConstant = typeof namespace === 'string';
  const space = isConstant ? () => namespace : namespace;
  const prefix = select.isWholeKey === true ? undefined : { namespace: space, version: VERSION };
  const parts: KeyParts<BatchRecord> = { of: 'record', prefix, key: select };
  if (!isConstant || prefix === undefined) return (record) => keyStringOf(record, parts);
  let before: string | undefined;
  return (record) => {
    before ??= prefixOf('record', prefix, record); // what it throws, each record gets as its own error
    return checkedKey(before + selectedKey('record', select, record));
  };
}

/** The key of one record. */
export function idempotencyKey(record: BatchRecord, select: KeySelector, namespace: Namespace): string {
  return keyMaker(select, namespace)(record);
}
