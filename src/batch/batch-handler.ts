import type { BatchRecord } from '../sources/record.ts';
import type { RecordContext } from './record-handler.ts';

/**
 * A claimed record of a batch, with the context of its own attempt.
 *
 * @typeParam Body The type of the record's body.
 * @typeParam Record The kind of record that the source delivers.
 */
export interface BatchItem<Body = unknown, Record extends BatchRecord = BatchRecord<Body>> {
  /** The record. */
  readonly record: Record;
  /** The context of the record's own attempt: its signal, its key, `done()`. */
  readonly context: RecordContext;
}

/**
 * Processes many records at once, such as a bulk insert. It gets the records that could be claimed, at most
 * `concurrency` (default: all of them), and never two of one FIFO group or of one key at a time.
 *
 * If it returns nothing, all records are done. A returned array has one entry for each item, in order: an
 * `Error` for a record that failed, any other value for one that is done, which is kept as the record's
 * result. If the handler throws, or returns an array of another length, all records failed.
 *
 * If it returns after it has seen the signal of one of its items aborted, it was interrupted: every record
 * comes back except those whose `context.done()` was called, and those that have an entry in the array and
 * whose own signal is not aborted.
 *
 * @typeParam Body The type of the records' bodies.
 * @typeParam Record The kind of record that the source delivers.
 * @param items The claimed records, each with the context of its own attempt.
 */
export type BatchHandler<Body = unknown, Record extends BatchRecord = BatchRecord<Body>> = (
  items: readonly BatchItem<Body, Record>[],
) => Promise<readonly unknown[] | void> | readonly unknown[] | void;
