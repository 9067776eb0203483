import type { PutItemCommandInput, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { type Item, keyOf, type Statement, type UpdateStatement } from './partiql.ts';

/** A `PutItem` of an item that must not exist, as the statement it amounts to. */
export function insertOf(input: PutItemCommandInput): Statement {
  if (input.ConditionExpression !== 'attribute_not_exists(#key)' || input.Item === undefined) {
    throw new Error(`Cannot read the PutItem with ${input.ConditionExpression}`);
  }
  return { kind: 'insert', key: keyOf(input.Item), item: input.Item };
}

/** An `UpdateItem` with simple comparisons as its condition, as the statement it amounts to. */
export function updateOf(input: Omit<UpdateItemCommandInput, 'ReturnValues'>): UpdateStatement {
  const names = input.ExpressionAttributeNames ?? {};
  const values = input.ExpressionAttributeValues ?? {};
  const parts = /^SET (.+?)(?: REMOVE (.+))?$/.exec(input.UpdateExpression ?? '');
  if (parts === null) throw new Error(`Cannot read the UpdateItem with ${input.UpdateExpression}`);
  const [, assignments = '', removes] = parts;
  const comparisons = (operator: string, list: readonly string[]): Item => {
    const item: Item = {};
    for (const comparison of list) {
      const [name = '', value = ''] = comparison.split(operator);
      item[nameOf(name)] = values[value] ?? unreadable(comparison);
    }
    return item;
  };
  function nameOf(placeholder: string): string {
    return names[placeholder] ?? unreadable(placeholder);
  }
  const conditions = input.ConditionExpression?.split(' AND ') ?? [];
  const isAtMost = (condition: string): boolean => condition.includes(AT_MOST);
  return {
    kind: 'update',
    key: keyOf(input.Key ?? {}),
    set: comparisons(EQUALS, assignments.split(', ')),
    remove: removes === undefined ? [] : removes.split(', ').map(nameOf),
    where: comparisons(
      EQUALS,
      conditions.filter((condition) => !isAtMost(condition)),
    ),
    whereAtMost: comparisons(AT_MOST, conditions.filter(isAtMost)),
  };
}

const EQUALS = ' = ';
const AT_MOST = ' <= ';

function unreadable(part: string): never {
  throw new Error(`Cannot read ${part} in an expression`);
}
