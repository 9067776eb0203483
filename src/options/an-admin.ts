import { type Check, objectWith } from './check-options.ts';

/** What people and tools need in place of a store. */
export function anAdmin(): Check {
  return {
    expected: 'an admin of claims, such as dynamoDBAdmin({ tableName }), and no store',
    accepts: objectWith('list', 'count', 'read', 'change').accepts,
  };
}
