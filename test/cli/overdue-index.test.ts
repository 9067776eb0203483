import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { overdueIndexOf } from '../../src/cli/connect/overdue-index.ts';
import type { Context } from '../../src/cli/context.ts';

describe('The index of overdue claims', () => {
  const notes: string[] = [];
  const context = {
    signal: new AbortController().signal,
    screen: { note: (text: string) => notes.push(text), detail: () => {} },
  } as unknown as Context;
  const clientThat = (answer: () => unknown): DynamoDBClient =>
    ({ send: async () => answer() }) as unknown as DynamoDBClient;

  it('is the one that the table has', async () => {
    const client = clientThat(() => ({
      Table: {
        GlobalSecondaryIndexes: [
          { IndexName: 'byDay', KeySchema: [{ AttributeName: 'day', KeyType: 'HASH' }] },
          { IndexName: 'late', KeySchema: [{ AttributeName: 'overdueShard', KeyType: 'HASH' }] },
        ],
      },
    }));
    expect(await overdueIndexOf(client, 'claims', undefined, context)).toBe('late');
  });

  it('is the one that is named, without a look', async () => {
    const client = clientThat(() => {
      throw new Error('not to be asked');
    });
    expect(await overdueIndexOf(client, 'claims', 'mine', context)).toBe('mine');
    expect(await overdueIndexOf(client, 'claims', 'none', context)).toBeUndefined();
  });

  it('is none where the look is refused, which is said', async () => {
    const client = clientThat(() => {
      throw Object.assign(new Error('no'), { name: 'AccessDeniedException' });
    });
    expect(await overdueIndexOf(client, 'claims', undefined, context)).toBeUndefined();
    expect(notes).toEqual([expect.stringContaining('if it has one, add --index NAME')]);
  });
});
