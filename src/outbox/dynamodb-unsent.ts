import type { QueryInput } from '@aws-sdk/client-dynamodb';
import type { Row } from '../stores/dynamodb/row.ts';
import { type OutboxRowState, SHARDS, UNSENT_INDEX, unsentShard } from './dynamodb-row.ts';
import type { OutboxTable } from './dynamodb-table.ts';
import { MOST_COUNTED } from './outbox-admin.ts';

/** The rows of one state, counted by the index. */
export interface UnsentCount {
  readonly count: number;
  /** When the oldest row was written, in epoch milliseconds; undefined if there is none. */
  readonly oldestAt: number | undefined;
  /** Whether all rows were counted; else `count` is a lower bound. */
  readonly isWhole: boolean;
}

export const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** Reads the keys of waiting rows older than `before`, a page of each shard at a time, the oldest first. */
export async function* waitingLanes(
  table: OutboxTable,
  before: number,
  stop: AbortSignal,
): AsyncGenerator<string[]> {
  let open: { readonly shard: number; readonly start?: Row | undefined }[] = ALL_SHARDS.map((shard) => ({
    shard,
  }));
  while (open.length > 0 && !stop.aborted) {
    const pages = await Promise.all(
      open.map(async ({ shard, start }) => {
        const query = shardQuery(table, 'WAITING', shard, start);
        query.KeyConditionExpression += ' AND #createdAt <= :before';
        query.ExpressionAttributeNames = { ...query.ExpressionAttributeNames, '#createdAt': 'createdAt' };
        Object.assign(query.ExpressionAttributeValues ?? {}, { ':before': { N: String(before) } });
        const { Items = [], LastEvaluatedKey } = await table.send('Query', query);
        return { shard, items: Items, start: LastEvaluatedKey };
      }),
    );
    open = pages.filter(({ start }) => start !== undefined);
    yield pages.flatMap(({ items }) => items.flatMap(({ lane }) => lane?.S ?? []));
  }
}

/** Counts the rows of a state, up to the most that are counted in each shard. */
export async function countUnsent(table: OutboxTable, state: OutboxRowState): Promise<UnsentCount> {
  const counts = await Promise.all(ALL_SHARDS.map((shard) => countShard(table, state, shard)));
  const oldest = counts.flatMap(({ oldestAt }) => oldestAt ?? []);
  const count = counts.reduce((sum, one) => sum + one.count, 0);
  return {
    count: Math.min(count, MOST_COUNTED),
    oldestAt: oldest.length === 0 ? undefined : Math.min(...oldest),
    isWhole: count <= MOST_COUNTED && counts.every(({ isWhole }) => isWhole),
  };
}

async function countShard(table: OutboxTable, state: OutboxRowState, shard: number): Promise<UnsentCount> {
  const query = shardQuery(table, state, shard, undefined);
  // A count returns no rows, so the oldest one is read apart.
  const { Items = [], LastEvaluatedKey } = await table.send('Query', { ...query, Limit: 1 });
  const oldestAt = Items[0] === undefined ? undefined : Number(Items[0]['createdAt']?.N);
  if (LastEvaluatedKey === undefined) return { count: Items.length, oldestAt, isWhole: true };
  const counted = await table.send('Query', { ...query, Limit: MOST_COUNTED, Select: 'COUNT' });
  return { count: counted.Count ?? 0, oldestAt, isWhole: counted.LastEvaluatedKey === undefined };
}

export function shardQuery(
  { tableName }: OutboxTable,
  state: OutboxRowState,
  shard: number,
  start: Row | undefined,
): QueryInput {
  return {
    TableName: tableName,
    IndexName: UNSENT_INDEX,
    KeyConditionExpression: '#unsent = :unsent',
    ExpressionAttributeNames: { '#unsent': 'unsent' },
    ExpressionAttributeValues: { ':unsent': { S: unsentShard(state, shard) } },
    ...(start !== undefined && { ExclusiveStartKey: start }),
  };
}
