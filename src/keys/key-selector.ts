import { ConfigurationError } from '../base/errors.ts';
import { KeyError } from './errors.ts';
import type { BatchRecord } from '../sources/record.ts';

/**
 * A function that returns the key of a record: equal keys mean the same work. It is called once for each
 * record, before its handler. If it throws or returns an empty string, only that record fails.
 *
 * @typeParam Body The type of the record's body.
 * @param record The record.
 */
export interface KeySelector<Body = unknown> {
  (record: BatchRecord<Body>): string;
  /** Set if the result is the whole key, stored without a namespace or version. */
  readonly isWholeKey?: true;
  /** Set if the result is the message's ID, which no record of another queue has. */
  readonly isMessageId?: true;
  /**
   * The risk of calling the selector. `none`: it does not read the body. `bounded`: no body of up to 256 KB
   * can kill or block the process in it. Default: unknown, and `suspectsFirst()` reads redelivered records
   * with care (`docs/policies/reading.md`).
   */
  readonly effort?: 'none' | 'bounded';
}

/** Sets the `effort` of a selector. */
export function withEffort<Body>(
  select: KeySelector<Body>,
  effort: KeySelector['effort'],
): KeySelector<Body> {
  return effort === undefined ? select : Object.assign(select, { effort });
}

/**
 * Returns a selector of whole keys, for tables shared with another library.
 *
 * @typeParam Body The type of the record's body.
 * @param select Returns the whole key.
 */
export function wholeKey<Body = unknown>(select: (record: BatchRecord<Body>) => string): KeySelector<Body> {
  return Object.assign((record: BatchRecord<Body>) => select(record), { isWholeKey: true as const });
}

/** Throws a `ConfigurationError` for a namespace with whole keys, which would have no effect. */
export function assertNoNamespace(namespace: unknown, example: string): void {
  if (namespace === undefined) return;
  throw new ConfigurationError(
    `Expected \`namespace\` to be absent with a \`key\` that returns whole keys, such as ${example}`,
  );
}

/**
 * Returns the selector that uses the message's ID: SQS's message ID, EventBridge's event ID, or the ID of the
 * innermost envelope in `decode`. Redeliveries share it; a producer that sends twice makes two IDs.
 */
export function messageId(): KeySelector {
  const select: KeySelector = (record) => {
    const id = record.envelope?.id ?? record.id;
    if (id !== '') return id;
    throw new KeyError(
      'The record has no id, because a bus delivered bare data: set `key`, or let the subscriber deliver ' +
        'WITH_METADATA',
    );
  };
  return Object.assign(withEffort(select, 'none'), { isMessageId: true as const });
}
