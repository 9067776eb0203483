import { ConfigurationError } from '../../base/errors.ts';

export const DEFAULT_TABLE = 'batchlatch_claims';

/** Longer names are cut by PostgreSQL; those of the indexes are longer than the table's. */
const LONGEST_NAME = 50;

/**
 * Quotes a table's name for use in a statement. Throws a `ConfigurationError` for anything but `claims`
 * or `schema.claims`.
 */
export function quotedTable(table: string): string {
  const parts = table.split('.');
  if (parts.length > 2 || !parts.every(isName)) {
    throw new ConfigurationError(
      `Expected \`table\` to be the name of a table, or schema.table, each of at most ` +
        `${LONGEST_NAME} bytes, got \`${JSON.stringify(table)}\``,
    );
  }
  return parts.map(quoted).join('.');
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function isName(part: string): boolean {
  return (
    part !== '' && Buffer.byteLength(part) <= LONGEST_NAME && !part.includes('\0') && part.isWellFormed()
  );
}
