import { defined } from '../base/defined.ts';
import { ConfigurationError } from '../base/errors.ts';
import type { StopSignal } from '../base/stop.ts';
import type { Row } from '../stores/dynamodb/row.ts';
import {
  keyOf,
  type OutboxRow,
  type OutboxRowState,
  outboxIdAt,
  rowOf,
  SHARDS,
  unsentOf,
  unsentShard,
} from './dynamodb-row.ts';
import { type OutboxTable, readItems } from './dynamodb-table.ts';
import { ALL_SHARDS, shardQuery } from './dynamodb-unsent.ts';
import { versionOf } from './dynamodb-version.ts';
import {
  limitOf,
  type OutboxEntry,
  type OutboxPage,
  type OutboxQuery,
  type OutboxState,
} from './outbox-admin.ts';

/** A key of the index. Its members are the position from which a query goes on. */
interface IndexKey {
  readonly unsent: string;
  readonly createdAt: number;
  readonly lane: string;
  readonly position: string;
}

/** Where a page begins: after these keys, in the shards that have more. */
interface Place {
  readonly state: OutboxRowState;
  readonly shards: readonly (readonly [shard: number, after: IndexKey | null])[];
}

/** Lists the rows of a state, the oldest first; without a state the parked ones and then the waiting ones. */
export async function listRows(
  table: OutboxTable,
  query: OutboxQuery,
  signal?: StopSignal,
): Promise<OutboxPage> {
  const limit = limitOf(query);
  const entries: OutboxEntry[] = [];
  const wanted = query.outboxIds && new Set(query.outboxIds);
  let place: Place | undefined = query.cursor === undefined ? startOf(query) : placeIn(query.cursor);
  while (place !== undefined && entries.length < limit && signal?.aborted !== true) {
    const { keys, next } = await readKeys(table, place, limit - entries.length, wanted, signal);
    entries.push(...(await entriesOf(table, place.state, keys, query)));
    place =
      next ?? (place.state === 'PARKED' && query.state === undefined ? start('WAITING', query) : undefined);
  }
  return { entries, ...(place !== undefined && { next: cursorOf(place) }) };
}

/** Reads the oldest keys of all shards, each of which is in order. */
async function readKeys(
  table: OutboxTable,
  { state, shards }: Place,
  limit: number,
  wanted: ReadonlySet<string> | undefined,
  signal: StopSignal | undefined,
): Promise<{ readonly keys: readonly IndexKey[]; readonly next: Place | undefined }> {
  const pages = await Promise.all(
    shards.map(async ([shard, after]) => {
      const query = { ...shardQuery(table, state, shard, after ? rowOfKey(after) : undefined), Limit: limit };
      const { Items = [], LastEvaluatedKey } = await table.send('Query', query, signal);
      return { shard, after, keys: Items.map(keyIn), hasMore: LastEvaluatedKey !== undefined };
    }),
  );
  const inOrder = pages
    .flatMap(({ shard, keys }) => keys.map((key) => ({ shard, key })))
    .toSorted((one, other) => one.key.createdAt - other.key.createdAt);
  const taken = inOrder.slice(0, limit);
  const left = pages.flatMap(({ shard, after, keys, hasMore }) => {
    const last = taken.findLast((one) => one.shard === shard)?.key;
    const isDone = !hasMore && (last ?? after) === (keys.at(-1) ?? after);
    return isDone ? [] : [[shard, last ?? after] as const];
  });
  const keys = taken.map(({ key }) => key).filter((key) => wanted?.has(outboxIdAt(key)) ?? true);
  return { keys, next: left.length === 0 ? undefined : { state, shards: left } };
}

async function entriesOf(
  table: OutboxTable,
  state: OutboxRowState,
  keys: readonly IndexKey[],
  { bodies = false }: OutboxQuery,
): Promise<OutboxEntry[]> {
  const items = await readItems(table, keys.map(keyOf), bodies ? undefined : WITHOUT_BODY);
  const rows = new Map<string, OutboxRow>();
  for (const item of items) {
    const row = rowOf(item);
    // The index is older than the rows: one that is sent or changed meanwhile is left out.
    if (row?.state === state) rows.set(row.lane + row.position, row);
  }
  return keys.flatMap(({ lane, position }) => {
    const row = rows.get(lane + position);
    return row === undefined ? [] : [entryOf(row, bodies)];
  });
}

const WITHOUT_BODY: readonly string[] = [
  'lane',
  'position',
  'unsent',
  'createdAt',
  'outboxId',
  'type',
  'bodyBytes',
  'messageGroup',
  'version',
  'changedAt',
  'error',
  'history',
];

function entryOf(row: OutboxRow, bodies: boolean): OutboxEntry {
  const { outboxId, type, state, group, createdAt, changedAt, error, bodyBytes, history } = row;
  return {
    outboxId,
    type,
    state: state.toLowerCase() as OutboxState,
    version: versionOf(row),
    createdAt,
    // A row is parked at the first refusal for good; other tries are not counted.
    tries: error === undefined ? 0 : 1,
    bodyBytes,
    history,
    ...defined({ group, changedAt, error, body: bodies ? row.body : undefined }),
  };
}

function startOf(query: OutboxQuery): Place {
  const { state = 'parked' } = query;
  if (state === 'parked' || state === 'waiting' || state === 'dropped') {
    return start(state.toUpperCase() as OutboxRowState, query);
  }
  throw new ConfigurationError(
    `Expected \`state\` to be waiting, parked or dropped, got \`${String(state)}\``,
  );
}

/** Returns the first place to read; a row is in the shard of its id. */
function start(state: OutboxRowState, { outboxIds }: OutboxQuery): Place {
  const only = outboxIds?.map((outboxId) => unsentOf(state, outboxId));
  const shards = ALL_SHARDS.filter((shard) => only?.includes(unsentShard(state, shard)) ?? true);
  return { state, shards: shards.map((shard) => [shard, null] as const) };
}

function keyIn(item: Row): IndexKey {
  return {
    unsent: item['unsent']?.S ?? '',
    createdAt: Number(item['createdAt']?.N),
    lane: item['lane']?.S ?? '',
    position: item['position']?.S ?? '',
  };
}

function rowOfKey({ unsent, createdAt, lane, position }: IndexKey): Row {
  return {
    unsent: { S: unsent },
    createdAt: { N: String(createdAt) },
    lane: { S: lane },
    position: { S: position },
  };
}

function cursorOf({ state, shards }: Place): string {
  const places = shards.map(([shard, key]) => [shard, key && [key.createdAt, key.lane, key.position]]);
  return Buffer.from(JSON.stringify([state, places])).toString('base64url');
}

function placeIn(cursor: string): Place {
  try {
    const [state, places] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [
      OutboxRowState,
      [number, [number, string, string] | null][],
    ];
    if (!['WAITING', 'PARKED', 'DROPPED'].includes(state)) throw new Error('no state');
    const shards = places.map(([shard, key]): readonly [number, IndexKey | null] => {
      if (!Number.isInteger(shard) || shard < 0 || shard >= SHARDS) throw new Error('no shard');
      if (key === null) return [shard, null];
      const [createdAt, lane, position] = key;
      if (!Number.isFinite(createdAt) || typeof lane !== 'string' || typeof position !== 'string')
        throw new Error('no key');
      return [shard, { unsent: unsentShard(state, shard), createdAt, lane, position }];
    });
    return { state, shards };
  } catch {
    throw new ConfigurationError('Expected `cursor` to be the `next` of a page of the same query');
  }
}
