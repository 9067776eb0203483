import type { StopSignal } from '../../base/stop.ts';
import type { ReadOutcome } from '../rows/row-writer.ts';
import type { ClaimsTable, NamedText } from './claims-table.ts';
import { byKeys } from './items.ts';
import { numberIn, type Row } from './row.ts';
import { send } from './sender.ts';

/** A row, with the time of the statement. */
export interface Found {
  readonly row: Row;
  /** By the database's clock, in epoch milliseconds. */
  readonly now: number;
  /** By this process's, not later. */
  readonly sentAt: number;
}

export async function readRows(
  storedKeys: readonly string[],
  table: ClaimsTable,
  signal?: StopSignal,
): Promise<Map<string, Found>> {
  const statement = { values: [storedKeys], ...table.statements().read };
  const { rows, sentAt } = await send(table, statement, ['SELECT'], signal);
  return new Map(rows.map((row) => [row['key'] as string, { row, now: numberIn(row['now']) ?? 0, sentAt }]));
}

/** Reads keys with a given statement, with an outcome for each key. */
export function readEach(
  keys: readonly string[],
  table: ClaimsTable,
  statement: NamedText,
  signal?: StopSignal,
): Promise<ReadOutcome<Row>[]> {
  const items = keys.map((key) => ({ key }));
  return byKeys(items, async (keyed) => {
    const values = [keyed.map(({ stored }) => stored)];
    const { rows } = await send(table, { values, ...statement }, ['SELECT'], signal);
    const byKey = new Map(rows.map((row) => [row['key'], row]));
    return keyed.map(({ stored }): ReadOutcome<Row> => {
      const row = byKey.get(stored);
      return row === undefined ? { status: 'read' } : { status: 'read', row };
    });
  });
}
