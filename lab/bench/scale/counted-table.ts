import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isDeepStrictEqual } from 'node:util';
import { type Clock, wait } from '../../../src/base/clock.ts';
import { insertOf, updateOf } from '../../simulation/stores/item-expressions.ts';
import { type Item, keyOf, parseStatement, type Statement } from '../../simulation/stores/partiql.ts';
import { bytesOf, touchedBy, unitsFor } from '../capacity-units.ts';

/** What a table was asked for. */
interface TableUse {
  readonly requests: number;
  readonly writeUnits: number;
  readonly readUnits: number;
}

type Method = 'batchExecuteStatement' | 'batchGetItem' | 'getItem' | 'putItem' | 'updateItem';

/** A claims table in this process, as `new DynamoDB({})` of AWS's SDK reaches it, that counts what DynamoDB would charge. */
export interface CountedTable {
  readonly client: Pick<DynamoDBClient, 'send'> &
    Readonly<Record<Method, (input: unknown) => Promise<object>>>;
  use(): TableUse;
}

/** Knows what the store sends for claims, and refuses the rest. */
export function countedTable(clock: Clock, latencyMs: number): CountedTable {
  const items = new Map<string, Item>();
  const counted = { requests: 0, writes: 0, reads: 0 };
  let largestRow = 0;

  function write(statement: Statement): { readonly Code: string; readonly Item?: Item } | undefined {
    const { key } = statement;
    const item = items.get(key);
    if (statement.kind === 'insert') {
      // As DynamoDB: a refused INSERT does not bring the row that is there, which is then read.
      if (item !== undefined) return { Code: 'DuplicateItem' };
      return put(key, statement.item);
    }
    if (item === undefined || !isMet(statement, item)) {
      return { Code: 'ConditionalCheckFailed', ...(item !== undefined && { Item: item }) };
    }
    const changed = { ...item, ...statement.set };
    for (const name of statement.remove) delete changed[name];
    return put(key, changed);
  }

  function put(key: string, item: Item): undefined {
    items.set(key, item);
    largestRow = Math.max(largestRow, bytesOf(item as never));
    return undefined;
  }

  function answer(operation: string, input: never): object {
    switch (operation) {
      case 'BatchExecuteStatement':
        return { Responses: statementsOf(input).map((one) => ({ Error: write(one) })) };
      case 'BatchGetItem':
        return readBatch(input, items);
      case 'GetItem':
        return { Item: items.get(keyOf((input as { readonly Key: Item }).Key)) };
      case 'PutItem':
        return refusedOr(write(insertOf(input)));
      case 'UpdateItem':
        return refusedOr(write(updateOf(input)));
      default:
        throw new Error(`This table does not know ${operation}`);
    }
  }

  const method =
    (operation: string) =>
    async (input: unknown): Promise<object> => {
      const { writes, reads } = touchedBy(operation, JSON.stringify(input));
      counted.requests += 1;
      counted.writes += writes;
      counted.reads += reads;
      await wait(clock, latencyMs);
      return answer(operation, input as never);
    };

  return {
    client: {
      send: () => Promise.reject(new Error('This client has a method for each operation')),
      batchExecuteStatement: method('BatchExecuteStatement'),
      batchGetItem: method('BatchGetItem'),
      getItem: method('GetItem'),
      putItem: method('PutItem'),
      updateItem: method('UpdateItem'),
    },
    use() {
      const { writes: writeUnits, reads: readUnits } = unitsFor(counted, largestRow);
      return { requests: counted.requests, writeUnits, readUnits };
    },
  };
}

function isMet({ where, whereAtMost }: Extract<Statement, { kind: 'update' }>, item: Item): boolean {
  return (
    Object.entries(where).every(([name, value]) => isDeepStrictEqual(item[name], value)) &&
    Object.entries(whereAtMost).every(([name, { N }]) => Number(item[name]?.N) <= Number(N))
  );
}

function statementsOf(input: {
  readonly Statements: readonly {
    readonly Statement: string;
    readonly Parameters: readonly AttributeValue[];
  }[];
}): Statement[] {
  return input.Statements.map(({ Statement: text, Parameters }) => parseStatement(text, Parameters));
}

function readBatch(
  { RequestItems }: { readonly RequestItems: Readonly<Record<string, { readonly Keys: readonly Item[] }>> },
  items: ReadonlyMap<string, Item>,
): object {
  const found = Object.entries(RequestItems).map(([table, { Keys }]) => [
    table,
    Keys.map((key) => items.get(keyOf(key))).filter((item) => item !== undefined),
  ]);
  return { Responses: Object.fromEntries(found) as object, UnprocessedKeys: {} };
}

function refusedOr(refused: { readonly Code: string; readonly Item?: Item } | undefined): object {
  if (refused === undefined) return {};
  throw Object.assign(new Error('The conditional request failed'), {
    name: 'ConditionalCheckFailedException',
    ...(refused.Item !== undefined && { Item: refused.Item }),
  });
}
