import type { StopSignal } from '../../claims/stop.ts';
import type { ClaimsTable } from './claims-table.ts';
import { numberIn, type Row } from './row.ts';
import { send } from './sender.ts';

/** A row, and when it was so. */
export interface Found {
  readonly row: Row;
  /** By the database's clock, in epoch milliseconds. */
  readonly now: number;
  /** By this process's, not later. */
  readonly sentAt: number;
}

/** The rows of keys as they are stored, by their keys. */
export async function readRows(
  storedKeys: readonly string[],
  table: ClaimsTable,
  signal?: StopSignal,
): Promise<Map<string, Found>> {
  const { rows, sentAt } = await send(
    table,
    { text: table.texts().read, values: [storedKeys], privileges: ['SELECT'] },
    signal,
  );
  return new Map(rows.map((row) => [row['key'] as string, { row, now: numberIn(row['now']) ?? 0, sentAt }]));
}
