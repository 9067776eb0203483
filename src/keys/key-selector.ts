import { ConfigurationError } from '../base/errors.ts';
import { KeyError } from './errors.ts';
import type { BatchRecord } from '../sources/record.ts';

/**
 * Says which records are the same work: equal strings, same work. Called once for each record, before its
 * handler. What it throws, and an empty string, fail that record alone.
 *
 * @typeParam Body The type of the record's body.
 * @param record The record.
 */
export interface KeySelector<Body = unknown> {
  (record: BatchRecord<Body>): string;
  /** What it gives is the key as it is stored: neither a namespace nor a version is put before it. */
  readonly isWholeKey?: true;
  /** What it gives is the id of the message, which no other consumer of the queue has. */
  readonly isMessageId?: true;
  /**
   * What the selector does to a record. `none`: it does not read the body. `bounded`: no body of up to 256 KB can end the
   * process in it, or keep it from ending. Default: neither is known, and `suspectsFirst()` reads what comes
   * again with care (`docs/policies/reading.md`).
   */
  readonly effort?: 'none' | 'bounded';
}

/** The same selector, which says what it does to a record. */
export function withEffort<Body>(
  select: KeySelector<Body>,
  effort: KeySelector['effort'],
): KeySelector<Body> {
  return effort === undefined ? select : Object.assign(select, { effort });
}

/**
 * Makes a selector of whole keys, for tables whose keys another library makes too.
 *
 * @typeParam Body The type of the record's body.
 * @param select Gives the whole key.
 */
export function wholeKey<Body = unknown>(select: (record: BatchRecord<Body>) => string): KeySelector<Body> {
  return Object.assign((record: BatchRecord<Body>) => select(record), { isWholeKey: true as const });
}

/** Throws a `ConfigurationError` for a namespace beside a whole key, where it would separate nothing. */
export function assertNoNamespace(namespace: unknown, example: string): void {
  if (namespace === undefined) return;
  throw new ConfigurationError(
    `Expected \`namespace\` to be absent with a \`key\` that gives whole keys, such as ${example}: no prefix is added to them`,
  );
}

/**
 * The id the service gave the message: SQS's messageId, EventBridge's event id; with an envelope
 * in `decode`, the inner id. It makes redeliveries one work; a producer that sends the same work twice sends two ids.
 */
export function messageId(): KeySelector {
  const select: KeySelector = (record) => {
    const id = record.envelope?.id ?? record.id;
    if (id !== '') return id;
    throw new KeyError(
      'The record has no id: an event bus delivered bare data. Set `key`, e.g. payloadHash(), or have the subscriber deliver WITH_METADATA',
    );
  };
  return Object.assign(withEffort(select, 'none'), { isMessageId: true as const });
}
