import type { StopSignal } from '../../base/stop.ts';
import type { QueryInput } from '@aws-sdk/client-dynamodb';
import { notACursor } from '../../claims/claim-query.ts';
import type { Claim } from '../../claims/claim.ts';
import { hasCode, StoreError } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import type { RowCount, RowPage, RowQuery } from '../rows/row-lister.ts';
import type { WriterSetup } from './batch-writer.ts';
import { isMissingIndex, toStoreError } from './failures.ts';
import type { ItemWriter } from './item-writer.ts';
import { type OverdueIndex, OVERDUE_SHARD, shardName } from './overdue-index.ts';
import type { Row, RowFormat } from './row.ts';
import { keyIn } from './scan-reader.ts';

export interface IndexSetup extends WriterSetup {
  readonly format: RowFormat;
  readonly index: OverdueIndex;
  readonly reader: Pick<ItemWriter, 'read'>;
}

export interface IndexReader {
  list(query: RowQuery<Row>, position: unknown, signal?: StopSignal): Promise<RowPage>;
  /** Undefined where entries say too little to be counted: tables with a sort key hold rows of others. */
  count(query: RowQuery<Row>, position: unknown, signal?: StopSignal): Promise<RowCount | undefined>;
}

/** A page ends after so many rounds of requests to the shards, however few claims were found. */
const MOST_ROUNDS = 10;

/** Where the reading of each shard goes on; shards that are read to their end are not in it. */
type OpenShards = Map<number, Row | undefined>;

/** Of each shard, one request's answer. */
interface Entries {
  readonly shard: number;
  readonly entries: readonly Row[];
  readonly count: number;
  readonly end: Row | undefined;
}

/**
 * Reads the shards of the index side by side. The index follows its table a moment later, so that what is in it are keys:
 * their rows are read strongly consistently, and judged as they are.
 */
export function indexReader(setup: IndexSetup): IndexReader {
  const { transport, tableName, keyName, toKey, format, index, reader } = setup;
  const keyNames = Object.keys(toKey(''));
  const positionNames = [...keyNames, OVERDUE_SHARD, format.names.leaseUntil];

  async function readShard(
    shard: number,
    start: Row | undefined,
    { state, now }: RowQuery<Row>,
    more: Partial<QueryInput>,
    signal: StopSignal | undefined,
  ): Promise<Entries> {
    const isParked = state === 'parked';
    const lease = state === 'overdue' ? '<=' : '>';
    const input: QueryInput = {
      TableName: tableName,
      IndexName: index.name,
      KeyConditionExpression: isParked ? '#shard = :shard' : `#shard = :shard AND #lease ${lease} :now`,
      ExpressionAttributeNames: {
        '#shard': OVERDUE_SHARD,
        ...(!isParked && { '#lease': format.names.leaseUntil }),
      },
      ExpressionAttributeValues: {
        ':shard': { S: shardName(isParked ? 'PARKED' : 'IN_PROGRESS', shard) },
        ...(!isParked && { ':now': { N: String(now) } }),
      },
      ...(start !== undefined && { ExclusiveStartKey: start }),
      ...more,
    };
    try {
      const { Items = [], Count, LastEvaluatedKey } = await transport.send('Query', input, signal);
      return { shard, entries: Items, count: Count ?? Items.length, end: LastEvaluatedKey };
    } catch (thrown) {
      throw indexError(thrown, setup);
    }
  }

  /** The rows of entries, as they are now; those that are gone are left out. */
  async function rowsOf(keys: readonly string[], signal: StopSignal | undefined): Promise<Row[]> {
    if (keys.length === 0) return [];
    const reads = await reader.read(keys, signal);
    return reads.flatMap((read) => {
      if (read.status === 'error') throw read.error;
      return read.row === undefined ? [] : [read.row];
    });
  }

  /** The key of an entry, unless it is of another partition of a table with a sort key. */
  function keyOf(entry: Row): string | undefined {
    const key = entry[keyName]?.S;
    if (key === undefined) return undefined;
    const own = toKey(key);
    return keyNames.every((name) => own[name]?.S === entry[name]?.S) ? key : undefined;
  }

  /** Where each shard begins, and the time that tells which leases have lapsed: the same on every page of a query. */
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

  function positionOf(open: OpenShards, now: number): { readonly position?: unknown } {
    if (open.size === 0) return {};
    return { position: { at: now, shards: [...open].map(([shard, start]) => [shard, start ?? null]) } };
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
        const answers = await Promise.all(
          asked.map(([shard, start]) => readShard(shard, start, query, { Limit: limit }, signal)),
        );
        const keys: string[] = [];
        for (const { shard, entries, end } of answers) {
          open.delete(shard);
          if (end !== undefined) open.set(shard, end); // after those that were not asked in this round
          rowsRead += entries.length;
          for (const key of entries.map(keyOf)) {
            if (key === undefined || seen.has(key) || !key.startsWith(query.keyPrefix)) continue;
            seen.add(key);
            keys.push(key);
          }
        }
        rowsRead += keys.length;
        for (const row of await rowsOf(keys, signal)) {
          const claim = query.claimOf(row);
          if (claim !== undefined) claims.push(claim);
        }
      }
      return { claims, readBy: 'index', rowsRead, ...positionOf(open, now) };
    },
    async count(given, position, signal) {
      if (keyNames.length > 1) return undefined;
      const { open, now } = opened(position, given.now);
      const query = { ...given, now };
      const [answers, oldest] = await Promise.all([
        Promise.all(
          [...open].map(([shard, start]) => readShard(shard, start, query, { Select: 'COUNT' }, signal)),
        ),
        // The earliest lease is the first entry of a shard, which a count does not show.
        query.state === 'overdue' && position === undefined
          ? Promise.all(
              [...open.keys()].map((shard) => readShard(shard, undefined, query, { Limit: 1 }, signal)),
            )
          : [],
      ]);
      const ends = answers.flatMap(({ shard, end }): [number, Row][] =>
        end === undefined ? [] : [[shard, end]],
      );
      const count = answers.reduce((sum, answer) => sum + answer.count, 0);
      const leases = oldest.flatMap(({ entries }) => entries.map((entry) => leaseOf(entry, format)));
      return {
        count,
        readBy: 'index',
        rowsRead: count,
        ...(leases.length > 0 && { oldestLeaseUntil: Math.min(...leases) }),
        ...positionOf(new Map(ends), now),
      };
    },
  };
}

function leaseOf(entry: Row, { names }: RowFormat): number {
  return Number(entry[names.leaseUntil]?.N ?? 0);
}

/** The table has no such index, or not yet. */
export class MissingIndexError extends StoreError {}

/** Whether a position, which has come back, is one in the index: a scan goes on after a key. */
export function isIndexPosition(position: unknown): boolean {
  return isObject(position) && Array.isArray((position as { readonly shards?: unknown }).shards);
}

function indexError(thrown: unknown, { index, tableName }: IndexSetup): StoreError {
  const error = toStoreError(thrown, tableName);
  const options = { cause: thrown, isRetryable: false };
  if (hasCode(error, 'BATCHLATCH_ACCESS_DENIED')) {
    return new StoreError(
      `The policy refuses dynamodb:Query on the index \`${index.name}\` of table \`${tableName}\`. Allow that action on ` +
        `the index (the table's ARN with /index/${index.name}), or read every row instead: \`overdueIndex: false\`, or --index none.`,
      { ...options, code: error.code },
    );
  }
  if (!isMissingIndex(thrown)) return error;
  return new MissingIndexError(
    `Table \`${tableName}\` has no index \`${index.name}\` that can be read. Add it as claimsTableDefinition() defines ` +
      `it, or leave its name out, and every row is read instead. (${error.message})`,
    options,
  );
}
