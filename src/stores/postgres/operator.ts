import type { Claim } from '../../claims/claim.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { RowOperator } from '../rows/admin-of-rows.ts';
import type { DeleteOutcome } from '../rows/row-writer.ts';
import type { ClaimsTable } from './claims-table.ts';
import type { Privilege } from './failures.ts';
import { byKeys, inStatements } from './items.ts';
import { readEach } from './read.ts';
import { COLUMNS, type Row, toClaim } from './row.ts';
import { send } from './sender.ts';
import { claimColumns, timeAt } from './statements.ts';
import { storableJson } from './storable.ts';

/**
 * Writes the changes of people: whole rows with times of the database's clock, each only if its version
 * (`xmin`) is unchanged.
 */
export function rowOperator(table: ClaimsTable): RowOperator<Row> {
  const texts = operatorTexts(table.table);

  /** Sends a statement with few rows as JSON, and returns the keys of the rows written. */
  async function write(
    rows: readonly Row[],
    text: string,
    privileges: readonly Privilege[],
    signal: StopSignal | undefined,
  ): Promise<DeleteOutcome<Row>[]> {
    const sent = await send(table, { text, values: [storableJson(rows)] }, privileges, signal);
    const written = new Set(sent.rows.map(({ key }) => key));
    return rows.map(({ key }) => ({
      status: written.has(key) ? 'written' : 'refused',
      wasResent: sent.wasResent,
    }));
  }

  return {
    toClaim,
    read: (keys, signal) => readEach(keys, table, { text: texts.read }, signal),
    insert: (claims, signal) =>
      byKeys(claims, (keyed) => {
        const rows = keyed.map(({ item, stored }) => ({ key: stored, ...columnsOf(item) }));
        return write(rows, texts.insert, ['SELECT', 'INSERT'], signal);
      }),
    replace: (replacements, signal) =>
      inStatements(replacements, (items) => {
        const rows = items.map(({ row, claim }) => ({ ...versionOf(row), ...columnsOf(claim) }));
        return write(rows, texts.replace, ['SELECT', 'UPDATE'], signal);
      }),
    delete: (rows, signal) =>
      inStatements(rows, (items) =>
        write(items.map(versionOf), texts.delete, ['SELECT', 'UPDATE', 'DELETE'], signal),
      ),
  };
}

const { key: _key, ...OTHERS } = COLUMNS;
const WRITTEN = Object.entries(OTHERS) as [keyof typeof OTHERS, readonly [column: string, type: string]][];

function operatorTexts(table: string): Readonly<Record<'read' | 'insert' | 'replace' | 'delete', string>> {
  const columns = WRITTEN.map(([, column]) => column);
  const types = columns.map(([name, type]) => `${name} ${type === 'time' ? 'float8' : type}`).join(', ');
  const valueOf = ([name, type]: readonly [string, string]): string =>
    type === 'time' ? timeAt(`a.${name}`) : `a.${name}`;
  const stillAsRead = `
WITH asked AS (
  SELECT * FROM json_to_recordset($1::json) AS a (key text, version text, ${types})
), still AS (
  SELECT c.key FROM ${table} AS c JOIN asked AS a ON c.key = a.key
  WHERE c.xmin::text = a.version ORDER BY c.key FOR UPDATE OF c
)`;
  return {
    read: `SELECT ${claimColumns('c')}, c.xmin::text AS version
      FROM ${table} AS c WHERE c.key = ANY ($1::text[])`,
    insert: `
INSERT INTO ${table} (key, ${columns.map(([name]) => name).join(', ')})
SELECT a.key, ${columns.map(valueOf).join(', ')}
FROM json_to_recordset($1::json) AS a (key text, ${types})
ORDER BY a.key COLLATE "C"
ON CONFLICT (key) DO NOTHING
RETURNING key`,
    replace: `${stillAsRead}
UPDATE ${table} AS c SET ${columns.map((column) => `${column[0]} = ${valueOf(column)}`).join(', ')}
FROM asked AS a JOIN still AS s ON s.key = a.key
WHERE c.key = a.key
RETURNING c.key`,
    delete: `${stillAsRead}
DELETE FROM ${table} AS c USING still AS s WHERE c.key = s.key RETURNING c.key`,
  };
}

function versionOf({ key, version }: Row): Row {
  return { key, version };
}

/** A member that is absent is null in its column. */
function columnsOf(claim: Claim): Row {
  return Object.fromEntries(WRITTEN.map(([field, [column]]) => [column, claim[field]]));
}
