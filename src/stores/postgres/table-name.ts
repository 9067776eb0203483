import { Buffer } from 'node:buffer';
import { ConfigurationError } from '../../base/errors.ts';

/** What claims tables are called where nobody says. */
export const DEFAULT_TABLE = 'batchlatch_claims';

/** Longer names are cut by PostgreSQL; those of the indexes are longer than the table's. */
const LONGEST_NAME = 50;

/** A table's name, in its parts. */
interface TableName {
  readonly schema: string | undefined;
  readonly name: string;
}

/** Throws a `ConfigurationError` for what is no `claims` or `schema.claims`. */
export function tableNameOf(table: string): TableName {
  const parts = table.split('.');
  const isFit = parts.length <= 2 && parts.every(isName);
  if (!isFit) {
    throw new ConfigurationError(
      `Expected \`table\` to be the name of a table, or schema.table, each of at most ${LONGEST_NAME} bytes, got \`${JSON.stringify(table)}\``,
    );
  }
  return { schema: parts.length === 2 ? parts[0] : undefined, name: parts.at(-1) as string };
}

/** A table's name with quotes: whatever it is, it is a name in a statement, and nothing else. */
export function quotedTable(table: string): string {
  const { schema, name } = tableNameOf(table);
  return schema === undefined ? quoted(name) : `${quoted(schema)}.${quoted(name)}`;
}

/** A name with quotes. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function isName(part: string): boolean {
  return (
    part !== '' && Buffer.byteLength(part) <= LONGEST_NAME && !part.includes('\0') && part.isWellFormed()
  );
}
