import type { QueryInput, ScanInput } from '@aws-sdk/client-dynamodb';
import { isObject } from '../../base/is-object.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { ClaimState } from '../../claims/claim-admin.ts';
import { notACursor } from '../../claims/claim-query.ts';
import type { Claim, ClaimStatus } from '../../claims/claim.ts';
import type { RowLister, RowQuery } from '../rows/row-lister.ts';
import type { ClaimsTable } from './claims-table.ts';
import { toStoreError } from './failures.ts';
import { pick, type Row } from './row.ts';

/** The most rows read for one page, however few claims they hold: every row costs capacity. */
const MOST_ROWS = 4_000;
const MOST_ROWS_PER_REQUEST = 1_000;

/** Reads all rows strongly consistently. In a table with a sort key it reads this store's partition only. */
export function scanReader(table: ClaimsTable): RowLister<Row>['list'] {
  const { transport, tableName, format } = table;
  const {
    names: { key: keyName },
    toKey,
  } = format;
  const keyNames = Object.keys(toKey(''));

  async function request(
    query: RowQuery<Row>,
    start: Row | undefined,
    limit: number,
    signal: StopSignal | undefined,
  ): Promise<{ readonly rows: readonly Row[]; readonly rowsRead: number; readonly end: Row | undefined }> {
    const input: ScanInput & QueryInput = {
      TableName: tableName,
      ConsistentRead: true,
      Limit: limit,
      ...expressions(query),
      ...(start !== undefined && { ExclusiveStartKey: start }),
    };
    try {
      const answer = await transport.send(keyNames.length === 1 ? 'Scan' : 'Query', input, signal);
      const { Items = [], ScannedCount, LastEvaluatedKey } = answer;
      return { rows: Items, rowsRead: ScannedCount ?? Items.length, end: LastEvaluatedKey };
    } catch (thrown) {
      throw toStoreError(thrown, tableName);
    }
  }

  /** Filters out most other rows in DynamoDB; `claimOf` decides on the rest. */
  function expressions({ state, keyPrefix }: RowQuery<Row>): Partial<QueryInput> {
    const names: Record<string, string> = {};
    const values: Row = {};
    const filters: string[] = [];
    const keyConditions: string[] = [];
    const partition = keyNames.find((name) => name !== keyName);
    if (partition !== undefined) {
      names['#partition'] = partition;
      values[':partition'] = toKey('')[partition] as Row[string];
      keyConditions.push('#partition = :partition');
    }
    if (keyPrefix !== '') {
      names['#key'] = keyName;
      values[':prefix'] = { S: keyPrefix };
      (partition === undefined ? filters : keyConditions).push('begins_with(#key, :prefix)');
    }
    const status = state && format.toChange({ status: STATUSES[state] }).set[format.names.status];
    if (status !== undefined) {
      names['#status'] = format.names.status;
      values[':status'] = status;
      values[':newer'] = { S: `${status.S ?? ''}@` };
      filters.push('(#status = :status OR begins_with(#status, :newer))');
    }
    return {
      ...(keyConditions.length > 0 && { KeyConditionExpression: keyConditions.join(' AND ') }),
      ...(filters.length > 0 && { FilterExpression: filters.join(' AND ') }),
      ...(Object.keys(names).length > 0 && {
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
      }),
    };
  }

  return async (query, position, signal) => {
    let start = position === undefined ? undefined : keyIn(position, keyNames);
    const claims: Claim[] = [];
    let rowsRead = 0;
    do {
      const room = query.limit - claims.length;
      const limit = requestSize(room, claims.length, rowsRead);
      const { rows, rowsRead: read, end } = await request(query, start, limit, signal);
      rowsRead += read;
      const found = rows.flatMap((row) => {
        const claim = query.claimOf(row);
        return claim === undefined ? [] : [{ row, claim }];
      });
      const taken = found.slice(0, room);
      claims.push(...taken.map(({ claim }) => claim));
      const last = found.length > room ? taken.at(-1) : undefined;
      // The claims that exceed the page are read again with the next one.
      start = last === undefined ? end : pick(last.row, keyNames);
    } while (start !== undefined && claims.length < query.limit && rowsRead < MOST_ROWS);
    return { claims, readBy: 'scan', rowsRead, ...(start !== undefined && { position: start }) };
  };
}

/** Estimates how many rows to read for `room` claims, from the share of matches so far. */
function requestSize(room: number, found: number, rowsRead: number): number {
  const share = rowsRead === 0 ? 1 : found / rowsRead;
  const wanted = Math.ceil(room / Math.max(share, 0.001));
  return Math.max(1, Math.min(wanted, MOST_ROWS_PER_REQUEST, MOST_ROWS - rowsRead));
}

/** Validates a position: exactly these attributes, each a string or a number. */
export function keyIn(position: unknown, names: readonly string[]): Row {
  const entries = isObject(position) ? Object.entries(position) : [];
  const isKey =
    entries.length === names.length &&
    entries.every(([name, value]) => names.includes(name) && isKeyAttribute(value));
  if (!isKey) throw notACursor();
  return position as Row;
}

function isKeyAttribute(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  const { S, N } = value as { readonly S?: unknown; readonly N?: unknown };
  return typeof S === 'string' || (typeof N === 'string' && /^-?\d{1,38}(\.\d{1,38})?$/.test(N));
}

const STATUSES: Readonly<Record<ClaimState, ClaimStatus>> = {
  'in-progress': 'IN_PROGRESS',
  overdue: 'IN_PROGRESS',
  failed: 'FAILED',
  parked: 'PARKED',
  completed: 'COMPLETED',
};
