import type { BatchRecord } from '../sources/record.ts';

/**
 * Says which records are the same work: equal strings, same work. Called once for each record, before its
 * handler. What it throws, and an empty string, fail that record alone.
 */
export interface KeySelector<Body = unknown> {
  (record: BatchRecord<Body>): string;
  /** What it gives is the key as it is stored: neither a namespace nor a version is put before it. */
  readonly isWholeKey?: true;
  /** What it gives is the id of the message, which no other consumer of the queue has. */
  readonly isMessageId?: true;
}

/** Makes a selector of whole keys, for tables whose keys another library makes too. */
export function wholeKey<Body = unknown>(select: (record: BatchRecord<Body>) => string): KeySelector<Body> {
  return Object.assign((record: BatchRecord<Body>) => select(record), { isWholeKey: true as const });
}
