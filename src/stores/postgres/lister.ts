import { notACursor } from '../../claims/claim-query.ts';
import { isObject } from '../../base/is-object.ts';
import type { ClaimState } from '../../claims/claim-admin.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { RowCount, RowLister, RowPage, RowQuery } from '../rows/row-lister.ts';
import type { ClaimsTable } from './claims-table.ts';
import { numberIn, type Row } from './row.ts';
import { send } from './sender.ts';
import { claimColumns, milliseconds, timeAt } from './statements.ts';
import { escapedKey } from './storable.ts';

/** The most rows that a page reads, and that a step of a count reads. */
const MOST_LISTED = 2_000;
const MOST_COUNTED = 50_000;

/**
 * Lists open claims by their index, and others by key. A page continues after the last row of the page
 * before.
 */
export function rowLister(table: ClaimsTable): RowLister<Row> {
  return {
    async list(query, position, signal): Promise<RowPage> {
      const way = wayTo(query, MOST_LISTED);
      const [first, ...rows] = await ask(listText(table.table, way), way, query, position, table, signal);
      const found = rows.length === 0 && first?.['key'] === null ? [] : [first as Row, ...rows];
      const claims = found.flatMap((row) => query.claimOf(row) ?? []);
      // A full page: more of the rows read may match.
      const last = found.length === query.limit ? found.at(-1) : undefined;
      return { claims, ...readingOf(first, last, way) };
    },

    async count(query, position, signal): Promise<RowCount> {
      const way = wayTo(query, MOST_COUNTED);
      const [row] = await ask(countText(table.table, way), way, query, position, table, signal);
      const oldest = numberIn(row?.['oldest']);
      return {
        count: numberIn(row?.['found']) ?? 0,
        ...readingOf(row, undefined, way),
        ...(query.state === 'overdue' && oldest !== undefined && { oldestLeaseUntil: oldest }),
      };
    },
  };
}

/** The order and the conditions in which the rows of a query are read. */
interface Way {
  readonly readBy: 'index' | 'scan';
  /** Bounds the range of rows that is read, by the columns that order them. */
  readonly where: string;
  readonly orderBy: readonly string[];
  /** Conditions that a row has to meet to be listed. */
  readonly matches: string;
  readonly mostRows: number;
}

// $1 now, $2 the prefix of the keys, $3 the most claims, $4 and $5 the position.
const NOW = timeAt('$1::float8');
const REMEMBERED = `(s.expires_at IS NULL OR s.expires_at > ${NOW})`;
/** The keys with the prefix $2: the upper bound repeats the last character of Unicode. */
const WITH_PREFIX = 'c.key >= $2 AND c.key <= $2 || repeat(chr(1114111), 700)';

const OPEN: Readonly<Partial<Record<ClaimState, string>>> = {
  'in-progress': `c.status = 'IN_PROGRESS' AND c.lease_until > ${NOW}`,
  overdue: `c.status = 'IN_PROGRESS' AND c.lease_until <= ${NOW}`,
  failed: "c.status = 'FAILED'",
  parked: "c.status = 'PARKED'",
};

function wayTo({ state }: RowQuery<Row>, mostRows: number): Way {
  const open = state === undefined ? undefined : OPEN[state];
  if (open !== undefined) {
    return {
      readBy: 'index',
      where: `${open} AND c.status <> 'COMPLETED'
        AND ($5::text IS NULL OR (c.lease_until, c.key) > (${timeAt('$4::float8')}, $5))`,
      orderBy: ['lease_until', 'key'],
      matches: `${REMEMBERED} AND starts_with(s.key, $2)`,
      mostRows,
    };
  }
  return {
    readBy: 'scan',
    where: `${WITH_PREFIX} AND $4::float8 IS NULL AND ($5::text IS NULL OR c.key > $5)`,
    orderBy: ['key'],
    matches: state === undefined ? REMEMBERED : `${REMEMBERED} AND s.status = 'COMPLETED'`,
    mostRows,
  };
}

/** Selects at most `mostRows` rows, with only the columns that order them. */
function seen(table: string, { where, orderBy, mostRows }: Way): string {
  return `WITH seen AS MATERIALIZED (
  SELECT c.key, c.status, c.lease_until, c.expires_at FROM ${table} AS c
  WHERE ${where} ORDER BY ${orderBy.map((column) => `c.${column}`).join(', ')} LIMIT ${mostRows}
), summed AS (SELECT count(*) AS rows_read FROM seen
), last AS (
  SELECT ${milliseconds('lease_until')} AS last_lease, key AS last_key FROM seen
  ORDER BY ${orderBy.map((column) => `${column} DESC`).join(', ')} LIMIT 1
)`;
}

function listText(table: string, way: Way): string {
  const inOrder = way.orderBy.map((column) => `s.${column}`).join(', ');
  return `${seen(table, way)}
SELECT m.*, summed.rows_read, last.last_lease, last.last_key
FROM summed LEFT JOIN last ON true LEFT JOIN LATERAL (
  SELECT ${claimColumns('c')} FROM (
    SELECT * FROM seen AS s WHERE ${way.matches} ORDER BY ${inOrder} LIMIT $3::int
  ) AS s JOIN ${table} AS c ON c.key = s.key ORDER BY ${inOrder}
) AS m ON true`;
}

function countText(table: string, way: Way): string {
  return `${seen(table, way)}
SELECT summed.rows_read, last.last_lease, last.last_key, counted.*
FROM summed LEFT JOIN last ON true, LATERAL (
  SELECT count(*) AS found, ${milliseconds('min(s.lease_until)')} AS oldest FROM seen AS s
  WHERE ${way.matches} AND $3::int > 0
) AS counted`;
}

async function ask(
  text: string,
  way: Way,
  { now, keyPrefix, limit }: RowQuery<Row>,
  position: unknown,
  table: ClaimsTable,
  signal: StopSignal | undefined,
): Promise<readonly Row[]> {
  const [lease, key] = position === undefined ? [null, null] : checkedPosition(position, way);
  const values = [now, escapedKey(keyPrefix), limit, lease, key];
  return (await send(table, { text, values }, ['SELECT'], signal)).rows;
}

/** A lease of `infinity`, which people may set, is a text: JSON has no such number. */
type Position = readonly [lease: number | string | null, key: string];

/** The claims read, and the position to continue from: the last claim returned, or the last row read. */
function readingOf(
  summary: Row | undefined,
  given: Row | undefined,
  { readBy, mostRows }: Way,
): Pick<RowPage, 'readBy' | 'rowsRead' | 'position'> {
  const rowsRead = numberIn(summary?.['rows_read']) ?? 0;
  if (given === undefined && rowsRead < mostRows) return { readBy, rowsRead };
  const lease = given === undefined ? summary?.['last_lease'] : given['lease_until'];
  const key = given === undefined ? summary?.['last_key'] : given['key'];
  const until = numberIn(lease) ?? 0;
  const inJson = Number.isFinite(until) ? until : String(until);
  const position: Position = [readBy === 'index' ? inJson : null, key as string];
  return { readBy, rowsRead, position };
}

function checkedPosition(position: unknown, { readBy }: Way): Position {
  if (!isObject(position) || !Array.isArray(position)) throw notACursor();
  const [lease, key] = position as readonly unknown[];
  const isTime = Number.isFinite(lease) || lease === 'Infinity' || lease === '-Infinity';
  const isLease = readBy === 'index' ? isTime : lease === null;
  if (!isLease || typeof key !== 'string' || key.includes('\0')) throw notACursor();
  return [lease as Position[0], key];
}
