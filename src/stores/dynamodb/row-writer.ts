import type { Row } from './row.ts';

/**
 * What the store needs of DynamoDB: insert rows that are absent, update rows that are as expected, read
 * rows strongly consistently. Each takes any number of items, no key twice, and answers one outcome per
 * item, in order; a failing item never fails its neighbours. Two implementations: 25 PartiQL statements
 * in a request (`batch-writer.ts`) and a request per item (`single-writer.ts`).
 */
export interface RowWriter {
  insert(rows: readonly Row[], signal?: AbortSignal): Promise<WriteOutcome[]>;
  update(updates: readonly RowUpdate[], signal?: AbortSignal): Promise<WriteOutcome[]>;
  read(keys: readonly string[], signal?: AbortSignal): Promise<ReadOutcome[]>;
}

export interface RowUpdate {
  readonly key: string;
  readonly set: Row;
  readonly remove: readonly string[];
  /** Every one of these attributes must have this value, or nothing is written. */
  readonly where: Row;
  /** Every one of these attributes must be at most this value (numbers). */
  readonly whereAtMost?: Row;
}

/** `refused`: the condition did not hold. Its row is given where DynamoDB sent it along. */
export type WriteOutcome =
  | { readonly status: 'written' }
  | { readonly status: 'refused'; readonly row?: Row }
  | { readonly status: 'error'; readonly error: Error };

export type ReadOutcome =
  | { readonly status: 'read'; readonly row?: Row }
  | { readonly status: 'error'; readonly error: Error };

export const WRITTEN: WriteOutcome = { status: 'written' };

export function refused(row: Row | undefined): WriteOutcome {
  return row === undefined ? { status: 'refused' } : { status: 'refused', row };
}

export function found(row: Row | undefined): ReadOutcome {
  return row === undefined ? { status: 'read' } : { status: 'read', row };
}
