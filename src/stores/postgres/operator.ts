import type { Claim } from '../../claims/claim.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { RowOperator } from '../rows/admin-of-rows.ts';
import type { DeleteOutcome, Replacement, WriteOutcome } from '../rows/row-writer.ts';
import type { ClaimsTable } from './claims-table.ts';
import { byKeys, inStatements, type Keyed } from './items.ts';
import { readEach } from './read.ts';
import { COLUMNS, type Row, toClaim } from './row.ts';
import { type Sent, send } from './sender.ts';
import { claimColumns, timeAt } from './statements.ts';
import { storableJson } from './storable.ts';

/**
 * What people change: whole rows with times of the database's clock, each on the condition that the row is still the version
 * that was read (`xmin`, the transaction that wrote it).
 */
export function rowOperator(table: ClaimsTable): RowOperator<Row> {
  const texts = operatorTexts(table.table);
  return {
    toClaim,
    read: (keys, signal) => readEach(keys, table, { text: texts.read }, signal),
    insert: (claims, signal) =>
      byKeys<Claim, WriteOutcome<Row>>(claims, async (keyed) => {
        const { rows } = await send(
          table,
          { text: texts.insert, values: [insertedRows(keyed)], privileges: ['SELECT', 'INSERT'] },
          signal,
        );
        return outcomesOf(
          keyed.map(({ stored }) => ({ key: stored })),
          rows,
        );
      }),
    replace: (replacements, signal) =>
      inStatements<Replacement<Row>, WriteOutcome<Row>>(
        replacements,
        async (items) => {
          const { rows } = await send(
            table,
            { text: texts.replace, values: [replacedRows(items)], privileges: ['SELECT', 'UPDATE'] },
            signal,
          );
          return outcomesOf(
            items.map(({ row }) => row),
            rows,
          );
        },
        failed,
      ),
    delete: (rows, signal) =>
      inStatements<Row, DeleteOutcome<Row>>(rows, (items) => deleteRows(items, table, texts, signal), failed),
  };
}

function failed(error: Error): { readonly status: 'error'; readonly error: Error } {
  return { status: 'error', error };
}

async function deleteRows(
  items: readonly Row[],
  table: ClaimsTable,
  texts: OperatorTexts,
  signal: StopSignal | undefined,
): Promise<DeleteOutcome<Row>[]> {
  const values = [items.map((row) => row['key']), items.map((row) => row['version'])];
  const sent = await send(
    table,
    { text: texts.delete, values, privileges: ['SELECT', 'UPDATE', 'DELETE'] },
    signal,
  );
  return outcomesOf(items, sent.rows).map((outcome) => ({ ...outcome, wasResent: sent.wasResent }));
}

function outcomesOf(items: readonly Row[], rows: Sent['rows']): WriteOutcome<Row>[] {
  const written = new Set(rows.map(({ key }) => key));
  return items.map(({ key }) => ({ status: written.has(key) ? 'written' : 'refused' }));
}

interface OperatorTexts {
  readonly read: string;
  readonly insert: string;
  readonly replace: string;
  readonly delete: string;
}

const { key: _key, ...OTHERS } = COLUMNS;
const WRITTEN = Object.entries(OTHERS) as [keyof typeof OTHERS, readonly [column: string, type: string]][];

function operatorTexts(table: string): OperatorTexts {
  const columns = WRITTEN.map(([, column]) => column);
  const types = columns.map(([name, type]) => `${name} ${type === 'time' ? 'float8' : type}`).join(', ');
  const valueOf = ([name, type]: readonly [string, string]): string =>
    type === 'time' ? timeAt(`a.${name}`) : `a.${name}`;
  const stillAsRead = `
  SELECT c.key FROM ${table} AS c JOIN asked AS a ON c.key = a.key
  WHERE c.xmin::text = a.version ORDER BY c.key FOR UPDATE OF c`;
  return {
    read: `SELECT ${claimColumns('c')}, c.xmin::text AS version FROM ${table} AS c WHERE c.key = ANY ($1::text[])`,
    insert: `
INSERT INTO ${table} (key, ${columns.map(([name]) => name).join(', ')})
SELECT a.key, ${columns.map(valueOf).join(', ')}
FROM json_to_recordset($1::json) AS a (key text, ${types})
ORDER BY a.key COLLATE "C"
ON CONFLICT (key) DO NOTHING
RETURNING key`,
    replace: `
WITH asked AS (
  SELECT * FROM json_to_recordset($1::json)
    AS a (key text, version text, ${types})
), still AS (${stillAsRead}
)
UPDATE ${table} AS c SET ${columns.map((column) => `${column[0]} = ${valueOf(column)}`).join(', ')}
FROM asked AS a JOIN still AS s ON s.key = a.key
WHERE c.key = a.key
RETURNING c.key`,
    delete: `
WITH asked AS (
  SELECT * FROM unnest($1::text[], $2::text[]) AS a (key, version)
), still AS (${stillAsRead}
)
DELETE FROM ${table} AS c USING still AS s WHERE c.key = s.key RETURNING c.key`,
  };
}

/** As JSON: people change few rows at a time. */
function replacedRows(replacements: readonly Replacement<Row>[]): string {
  return storableJson(
    replacements.map(({ row, claim }) => ({ key: row['key'], version: row['version'], ...columnsOf(claim) })),
  );
}

function insertedRows(keyed: readonly Keyed<Claim>[]): string {
  return storableJson(keyed.map(({ item, stored }) => ({ key: stored, ...columnsOf(item) })));
}

/** A member that is absent is null in its column. */
function columnsOf(claim: Claim): Readonly<Record<string, unknown>> {
  return Object.fromEntries(WRITTEN.map(([field, [column]]) => [column, claim[field]]));
}
