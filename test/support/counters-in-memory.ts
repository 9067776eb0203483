import type { CommitItem, CommitRefusal } from 'batchlatch';
import type { CommitSubject } from 'batchlatch/testing';

/** Counters for `memoryStore({ onCommit })`: all items of a commit, or none. */
export function countersInMemory(): CommitSubject & {
  onCommit(items: readonly CommitItem[]): readonly CommitRefusal[];
} {
  const counters = new Map<string, number>();
  return {
    addOne: (name) => ({
      Update: { TableName: 'counters', Key: { name }, UpdateExpression: 'ADD #count :one' },
    }),
    refused: () => ({
      ConditionCheck: { TableName: 'counters', Key: {}, ConditionExpression: 'attribute_exists(#name)' },
    }),
    read: (name) => counters.get(name) ?? 0,
    onCommit(items) {
      const refused = items.flatMap(({ ConditionCheck }, index) =>
        ConditionCheck === undefined ? [] : [{ index, code: 'ConditionalCheckFailed' }],
      );
      if (refused.length > 0) return refused;
      for (const { Update } of items) {
        const name = String(Update?.Key?.['name']);
        counters.set(name, (counters.get(name) ?? 0) + 1);
      }
      return [];
    },
  };
}
