import type { StopSignal } from '../../base/stop.ts';
import type { ReadOutcome, WriteOutcome } from '../rows/row-writer.ts';
import type { Row } from './row.ts';

/**
 * What the store needs of DynamoDB: insert items that are absent, update items that are as expected, read
 * items strongly consistently. Each takes any number of items, no key twice, and answers one outcome per
 * item, in order; a failing item never fails its neighbours. Two implementations: 25 PartiQL statements
 * in a request (`batch-writer.ts`) and a request per item (`single-writer.ts`).
 */
export interface ItemWriter {
  insert(rows: readonly Row[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  update(updates: readonly ItemUpdate[], signal?: StopSignal): Promise<WriteOutcome<Row>[]>;
  read(keys: readonly string[], signal?: StopSignal): Promise<ReadOutcome<Row>[]>;
}

export interface ItemUpdate {
  readonly key: string;
  readonly set: Row;
  readonly remove: readonly string[];
  /** Every one of these attributes must have this value, or nothing is written. */
  readonly where: Row;
  /** Every one of these attributes must be at most this value (numbers). */
  readonly whereAtMost?: Row;
}

export const WRITTEN: WriteOutcome<Row> = { status: 'written' };

export function refused(row: Row | undefined): WriteOutcome<Row> {
  return row === undefined ? { status: 'refused' } : { status: 'refused', row };
}

export function found(row: Row | undefined): ReadOutcome<Row> {
  return row === undefined ? { status: 'read' } : { status: 'read', row };
}
