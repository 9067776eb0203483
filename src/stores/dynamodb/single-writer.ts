import type { UpdateItemInput } from '@aws-sdk/client-dynamodb';
import type { StopSignal } from '../../base/stop.ts';
import type { ReadOutcome, WriteOutcome } from '../rows/row-writer.ts';
import type { WriterSetup } from './batch-writer.ts';
import { toStoreError } from './failures.ts';
import type { Row } from './row.ts';
import { found, type ItemUpdate, type ItemWriter, refused, WRITTEN } from './item-writer.ts';

/**
 * Writes with a `PutItem` or `UpdateItem` per item: for tables, emulators and policies without PartiQL.
 * A request per item costs several times the CPU of a batch's.
 */
export function singleWriter({ transport, tableName, keyName, toKey }: WriterSetup): ItemWriter {
  async function put(row: Row, signal: StopSignal | undefined): Promise<WriteOutcome<Row>> {
    return write(() =>
      transport.send(
        'PutItem',
        {
          TableName: tableName,
          Item: row,
          ConditionExpression: 'attribute_not_exists(#key)',
          ExpressionAttributeNames: { '#key': keyName },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
        signal,
      ),
    );
  }

  async function update(change: ItemUpdate, signal: StopSignal | undefined): Promise<WriteOutcome<Row>> {
    return write(() =>
      transport.send(
        'UpdateItem',
        {
          TableName: tableName,
          Key: toKey(change.key),
          ...updateExpressions(change),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
        signal,
      ),
    );
  }

  async function write(send: () => Promise<unknown>): Promise<WriteOutcome<Row>> {
    try {
      await send();
      return WRITTEN;
    } catch (thrown) {
      if (isConditionalCheckFailed(thrown)) return refused(thrown.Item);
      return { status: 'error', error: toStoreError(thrown, tableName) };
    }
  }

  async function get(key: string, signal: StopSignal | undefined): Promise<ReadOutcome<Row>> {
    try {
      const { Item } = await transport.send(
        'GetItem',
        { TableName: tableName, Key: toKey(key), ConsistentRead: true },
        signal,
      );
      return found(Item);
    } catch (thrown) {
      return { status: 'error', error: toStoreError(thrown, tableName) };
    }
  }

  return {
    insert: (rows, signal) => Promise.all(rows.map((row) => put(row, signal))),
    update: (updates, signal) => Promise.all(updates.map((change) => update(change, signal))),
    read: (keys, signal) => Promise.all(keys.map((key) => get(key, signal))),
  };
}

/** An update in the words of `UpdateItem`, and of `Update` in a transaction. */
export function updateExpressions({
  set,
  remove,
  where,
  whereAtMost = {},
}: ItemUpdate): Pick<
  UpdateItemInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
> {
  const names: Record<string, string> = {};
  const values: Row = {};
  const nameOf = (name: string): string => {
    names[`#${name}`] = name;
    return `#${name}`;
  };
  const sets = Object.entries(set).map(([name, value]) => {
    values[`:set_${name}`] = value;
    return `${nameOf(name)} = :set_${name}`;
  });
  const conditions = Object.entries(where).map(([name, value]) => {
    values[`:where_${name}`] = value;
    return `${nameOf(name)} = :where_${name}`;
  });
  for (const [name, value] of Object.entries(whereAtMost)) {
    values[`:most_${name}`] = value;
    conditions.push(`${nameOf(name)} <= :most_${name}`);
  }
  const removes = remove.map(nameOf);
  return {
    UpdateExpression: `SET ${sets.join(', ')}${removes.length === 0 ? '' : ` REMOVE ${removes.join(', ')}`}`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
}

/** A condition in the words of `DeleteItem`: every one of these attributes must have this value. */
export function whereExpressions(
  where: Row,
): Pick<UpdateItemInput, 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'> {
  const { UpdateExpression: _none, ...expressions } = updateExpressions({
    key: '',
    set: {},
    remove: [],
    where,
  });
  return expressions;
}

export function isConditionalCheckFailed(
  thrown: unknown,
): thrown is { readonly Item?: Row; readonly $metadata?: { readonly attempts?: number } } {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'name' in thrown &&
    thrown.name === 'ConditionalCheckFailedException'
  );
}
