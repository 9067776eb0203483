import type { BatchRecord } from '../sources/record.ts';
import type { RecordContext } from './record-handler.ts';

/**
 * One claimed record of a batch, with the context of its own attempt.
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
 * Does the work of many records at once, such as a bulk insert. It gets what could be claimed, at most
 * `concurrency` records (default: all of them), and never two of one FIFO group or of one key at a time.
 *
 * Returning nothing means that all are done. An array has one entry for each item, in their order: an `Error`
 * for a record that failed, anything else for one that is done (it is kept as the record's result). What it
 * throws failed all of them; an array of another length does too, because its entries cannot be assigned to records.
 *
 * A handler that has seen the signal of one of its items aborted, and returns, was interrupted: every record comes back
 * except those for which it called `context.done()`, and those that have an entry in the array and whose own signal is
 * not aborted.
 *
 * @typeParam Body The type of the records' bodies.
 * @typeParam Record The kind of record that the source delivers.
 * @param items The claimed records, each with the context of its own attempt.
 */
export type BatchHandler<Body = unknown, Record extends BatchRecord = BatchRecord<Body>> = (
  items: readonly BatchItem<Body, Record>[],
) => Promise<readonly unknown[] | void> | readonly unknown[] | void;
