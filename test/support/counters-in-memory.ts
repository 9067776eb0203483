import { type CommitItem, CommitRefusedError } from 'batchlatch/dynamodb';
import type { CommitSubject } from 'batchlatch/testing';

/** Counters for `memoryStore({ onCommit })`: all items of a commit, or none. */
export interface CountersInMemory extends CommitSubject {
  /** An item that adds one to the counter of this name. */
  readonly addOne: (name: string) => CommitItem;
  /** An item whose condition does not hold. */
  readonly refused: () => CommitItem;
  onCommit(items: readonly CommitItem[]): CommitRefusedError | undefined;
}

export function countersInMemory(): CountersInMemory {
  const counters = new Map<string, number>();
  const addOne = (name: string): CommitItem => ({
    Update: { TableName: 'counters', Key: { name }, UpdateExpression: 'ADD #count :one' },
  });
  const refused = (): CommitItem => ({
    ConditionCheck: { TableName: 'counters', Key: {}, ConditionExpression: 'attribute_exists(#name)' },
  });
  return {
    addOne,
    refused,
    effect: (names) => names.map(addOne),
    refusedEffect: (names) => [...names.map(addOne), refused()],
    read: (name) => counters.get(name) ?? 0,
    onCommit(items) {
      const reasons = items.flatMap(({ ConditionCheck }, index) =>
        ConditionCheck === undefined ? [] : [{ index, code: 'ConditionalCheckFailed' }],
      );
      if (reasons.length > 0) return new CommitRefusedError(reasons);
      for (const { Update } of items) {
        const name = String(Update?.Key?.['name']);
        counters.set(name, (counters.get(name) ?? 0) + 1);
      }
      return undefined;
    },
  };
}
