import type { Update } from '@aws-sdk/client-dynamodb';
import type { StopSignal } from '../../base/stop.ts';
import type { DeleteOutcome, ReadOutcome } from '../rows/row-writer.ts';
import { toStoreError } from './failures.ts';
import {
  found,
  type ItemUpdate,
  type ItemWriter,
  refused,
  WRITTEN,
  type WriterSetup,
} from './item-writer.ts';
import type { Row } from './row.ts';
import type { Operations } from './transport.ts';

/** Writes with a request per item, for several times the CPU of batches. Needs no PartiQL. */
export function singleWriter(setup: WriterSetup): ItemWriter {
  const { transport, tableName } = setup;
  const { names, toKey } = setup.format;
  const isAbsent = {
    ConditionExpression: 'attribute_not_exists(#key)',
    ExpressionAttributeNames: { '#key': names.key },
  };

  async function get(key: string, signal: StopSignal | undefined): Promise<ReadOutcome<Row>> {
    const input = { TableName: tableName, Key: toKey(key), ConsistentRead: true };
    try {
      const { Item } = await transport.send('GetItem', input, signal);
      return found(Item);
    } catch (thrown) {
      return { status: 'error', error: toStoreError(thrown, tableName) };
    }
  }

  return {
    insert(rows, signal) {
      const writes = rows.map((row) => writeItem('PutItem', { Item: row, ...isAbsent }, setup, signal));
      return Promise.all(writes);
    },
    update(updates, signal) {
      const writes = updates.map((update) => {
        const input = { Key: toKey(update.key), ...updateExpressions(update) };
        return writeItem('UpdateItem', input, setup, signal);
      });
      return Promise.all(writes);
    },
    read: (keys, signal) => Promise.all(keys.map((key) => get(key, signal))),
  };
}

/** Writes one item on its condition. `wasResent`: an earlier sending may have changed the item. */
export async function writeItem<Name extends 'DeleteItem' | 'PutItem' | 'UpdateItem'>(
  operation: Name,
  input: Omit<Operations[Name]['input'], 'TableName'>,
  { transport, tableName }: WriterSetup,
  signal: StopSignal | undefined,
): Promise<DeleteOutcome<Row>> {
  const inTable = { TableName: tableName, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
  try {
    await transport.send(operation, { ...inTable, ...input } as Operations[Name]['input'], signal);
    return WRITTEN;
  } catch (thrown) {
    const { name, Item, $metadata } = (thrown ?? {}) as Partial<ConditionalCheckFailed>;
    if (name !== 'ConditionalCheckFailedException') {
      return { status: 'error', error: toStoreError(thrown, tableName) };
    }
    return { ...refused(Item), wasResent: ($metadata?.attempts ?? 1) > 1 };
  }
}

interface ConditionalCheckFailed {
  readonly name: string;
  readonly Item: Row;
  readonly $metadata: { readonly attempts?: number };
}

type Expressions = Pick<
  Update,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** Returns the expressions of an update, for `UpdateItem` and for `Update` in a transaction. */
export function updateExpressions({ set, remove, where, whereAtMost = {} }: ItemUpdate): Expressions {
  const names: Record<string, string> = {};
  const values: Row = {};
  const nameOf = (name: string): string => {
    names[`#${name}`] = name;
    return `#${name}`;
  };
  const terms = (row: Row, prefix: string, sign: '=' | '<='): string[] =>
    Object.entries(row).map(([name, value]) => {
      values[`:${prefix}_${name}`] = value;
      return `${nameOf(name)} ${sign} :${prefix}_${name}`;
    });
  const sets = terms(set, 'set', '=');
  const conditions = [...terms(where, 'where', '='), ...terms(whereAtMost, 'most', '<=')];
  const removes = remove.map(nameOf);
  return {
    UpdateExpression: `SET ${sets.join(', ')}${removes.length === 0 ? '' : ` REMOVE ${removes.join(', ')}`}`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
}
