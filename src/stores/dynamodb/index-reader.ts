import type { QueryInput } from '@aws-sdk/client-dynamodb';
import { hasCode, StoreError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import type { StopSignal } from '../../base/stop.ts';
import { notACursor } from '../../claims/claim-query.ts';
import type { Claim } from '../../claims/claim.ts';
import type { RowLister, RowQuery } from '../rows/row-lister.ts';
import type { ClaimsTable } from './claims-table.ts';
import { isMissingIndex, toStoreError } from './failures.ts';
import { type OverdueIndex, OVERDUE_SHARD, shardName } from './overdue-index.ts';
import type { Row } from './row.ts';
import { keyIn } from './scan-reader.ts';

/** The most rounds of requests to the shards for one page, however few claims they found. */
const MOST_ROUNDS = 10;

/** The start key of each shard that has more entries. */
type OpenShards = Map<number, Row | undefined>;

interface Entries {
  readonly shard: number;
  readonly entries: readonly Row[];
  readonly count: number;
  readonly end: Row | undefined;
}

/**
 * Reads the shards of the index concurrently. The index is eventually consistent, so only its keys are used:
 * their rows are read strongly consistently. In a table with a sort key claims are not counted, because the
 * index also holds entries of other partitions.
 */
export function indexReader(table: ClaimsTable, index: OverdueIndex): Required<RowLister<Row>> {
  const { transport, tableName } = table;
  const { names, toKey } = table.format;
  const reader = table.itemsOf(table);
  const keyNames = Object.keys(toKey(''));
  const positionNames = [...keyNames, OVERDUE_SHARD, names.leaseUntil];

  /** Sends one request to each of these shards. */
  function readShards(
    open: readonly (readonly [shard: number, start: Row | undefined])[],
    { state, now }: RowQuery<Row>,
    more: Partial<QueryInput>,
    signal: StopSignal | undefined,
  ): Promise<Entries[]> {
    const isParked = state === 'parked';
    const lease = state === 'overdue' ? '<=' : '>';
    const input = {
      TableName: tableName,
      IndexName: index.name,
      KeyConditionExpression: isParked ? '#shard = :shard' : `#shard = :shard AND #lease ${lease} :now`,
      ExpressionAttributeNames: {
        '#shard': OVERDUE_SHARD,
        ...(!isParked && { '#lease': names.leaseUntil }),
      },
      ...more,
    };
    const read = async ([shard, start]: (typeof open)[number]): Promise<Entries> => {
      const values = {
        ':shard': { S: shardName(isParked ? 'PARKED' : 'IN_PROGRESS', shard) },
        ...(!isParked && { ':now': { N: String(now) } }),
      };
      const from = start !== undefined && { ExclusiveStartKey: start };
      try {
        const query = { ...input, ExpressionAttributeValues: values, ...from };
        const { Items = [], Count, LastEvaluatedKey } = await transport.send('Query', query, signal);
        return { shard, entries: Items, count: Count ?? Items.length, end: LastEvaluatedKey };
      } catch (thrown) {
        throw indexError(thrown, tableName, index);
      }
    };
    return Promise.all(open.map(read));
  }

  /** Reads the current claims of these keys. */
  async function claimsOf(
    keys: readonly string[],
    { claimOf }: RowQuery<Row>,
    signal: StopSignal | undefined,
  ): Promise<Claim[]> {
    const reads = keys.length === 0 ? [] : await reader.read(keys, signal);
    return reads.flatMap((read) => {
      if (read.status === 'error') throw read.error;
      return (read.row && claimOf(read.row)) ?? [];
    });
  }

  /** The key of an entry, or undefined if the entry belongs to another partition. */
  function keyOf(entry: Row): string | undefined {
    const key = entry[names.key]?.S;
    if (key === undefined) return undefined;
    const own = toKey(key);
    return keyNames.every((name) => own[name]?.S === entry[name]?.S) ? key : undefined;
  }

  /** The start of each shard, and the time that all pages of a query compare leases with. */
  function opened(position: unknown, now: number): { readonly open: OpenShards; readonly now: number } {
    if (position === undefined) {
      return { now, open: new Map(Array.from({ length: index.shards }, (_, shard) => [shard, undefined])) };
    }
    const { at, shards } = position as { readonly at?: unknown; readonly shards?: unknown };
    if (!Number.isSafeInteger(at) || !Array.isArray(shards) || shards.length === 0) throw notACursor();
    const open: OpenShards = new Map();
    for (const one of shards as unknown[]) {
      const [shard, start] = Array.isArray(one) ? (one as unknown[]) : [];
      const isShard = Number.isInteger(shard) && (shard as number) >= 0 && (shard as number) < index.shards;
      if (!isShard) throw notACursor();
      open.set(shard as number, start === null ? undefined : keyIn(start, positionNames));
    }
    return { open, now: at as number };
  }

  return {
    async list(given, position, signal) {
      const { open, now } = opened(position, given.now);
      const query = { ...given, now };
      const claims: Claim[] = [];
      const seen = new Set<string>();
      let rowsRead = 0;
      for (let round = 1; round <= MOST_ROUNDS && open.size > 0 && claims.length < query.limit; round += 1) {
        const room = query.limit - claims.length;
        const asked = [...open].slice(0, room);
        const limit = Math.floor(room / asked.length);
        const keys: string[] = [];
        for (const { shard, entries, end } of await readShards(asked, query, { Limit: limit }, signal)) {
          open.delete(shard);
          if (end !== undefined) open.set(shard, end); // after the shards that were not read in this round
          rowsRead += entries.length;
          for (const key of entries.map(keyOf)) {
            if (key === undefined || seen.has(key) || !key.startsWith(query.keyPrefix)) continue;
            seen.add(key);
            keys.push(key);
          }
        }
        rowsRead += keys.length;
        claims.push(...(await claimsOf(keys, query, signal)));
      }
      return { claims, readBy: 'index', rowsRead, ...positionOf(open, now) };
    },
    async count(given, position, signal) {
      if (keyNames.length > 1) return undefined;
      const { open, now } = opened(position, given.now);
      const query = { ...given, now };
      // A count does not return entries, so the first one, with the earliest lease, is requested separately.
      const first = query.state === 'overdue' && position === undefined ? [...open] : [];
      const [answers, oldest] = await Promise.all([
        readShards([...open], query, { Select: 'COUNT' }, signal),
        readShards(first, query, { Limit: 1 }, signal),
      ]);
      const left: OpenShards = new Map();
      for (const { shard, end } of answers) if (end !== undefined) left.set(shard, end);
      const count = answers.reduce((sum, answer) => sum + answer.count, 0);
      const leases = oldest.flatMap(({ entries }) =>
        entries.map((entry) => Number(entry[names.leaseUntil]?.N ?? 0)),
      );
      return {
        count,
        readBy: 'index',
        rowsRead: count,
        ...(leases.length > 0 && { oldestLeaseUntil: Math.min(...leases) }),
        ...positionOf(left, now),
      };
    },
  };
}

function positionOf(open: OpenShards, now: number): { readonly position?: unknown } {
  if (open.size === 0) return {};
  return { position: { at: now, shards: [...open].map(([shard, start]) => [shard, start ?? null]) } };
}

/** The table has no such index, or it is still being built. */
export class MissingIndexError extends StoreError {
  override name = 'MissingIndexError';
}

/** Whether a position belongs to the index; a scan continues after a key. */
export function isIndexPosition(position: unknown): boolean {
  return isObject(position) && Array.isArray((position as { readonly shards?: unknown }).shards);
}

function indexError(thrown: unknown, tableName: string, { name }: OverdueIndex): StoreError {
  const error = toStoreError(thrown, tableName);
  const options = { cause: thrown, isRetryable: false };
  if (hasCode(error, 'BATCHLATCH_ACCESS_DENIED')) {
    return new StoreError(
      `The policy refuses dynamodb:Query on the index \`${name}\` of table \`${tableName}\`. ` +
        `Allow that action on the index (the table's ARN with /index/${name}), ` +
        'or read every row instead: `overdueIndex: false`, or --index none.',
      { ...options, code: error.code },
    );
  }
  if (!isMissingIndex(thrown)) return error;
  return new MissingIndexError(
    `Table \`${tableName}\` has no index \`${name}\` that can be read. ` +
      `Add it as claimsTableDefinition() defines it, or leave its name out, and every row is read ` +
      `instead. (${error.message})`,
    options,
  );
}
