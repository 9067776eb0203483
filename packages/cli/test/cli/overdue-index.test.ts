import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { overdueIndexOf } from '../../src/cli/connect/overdue-index.ts';
import type { Context } from '../../src/cli/context.ts';

describe('The index of overdue claims', () => {
  const context = {
    signal: new AbortController().signal,
    screen: { detail: () => {} },
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
    expect(await overdueIndexOf(client, 'claims', undefined, context)).toEqual({
      option: { name: 'late' },
      isMissing: false,
    });
  });

  it('is none where the table has none, so that the store does not look for it', async () => {
    const client = clientThat(() => ({ Table: {} }));
    expect(await overdueIndexOf(client, 'claims', undefined, context)).toEqual({
      option: false,
      isMissing: true,
    });
  });

  it('is the one that is named, without a look', async () => {
    const client = clientThat(() => {
      throw new Error('not to be asked');
    });
    expect(await overdueIndexOf(client, 'claims', 'mine', context)).toEqual({
      option: { name: 'mine' },
      isMissing: false,
    });
    expect(await overdueIndexOf(client, 'claims', 'none', context)).toEqual({
      option: false,
      isMissing: false,
    });
  });

  it('is left to the store to find where the look is refused', async () => {
    const client = clientThat(() => {
      throw Object.assign(new Error('no'), { name: 'AccessDeniedException' });
    });
    expect(await overdueIndexOf(client, 'claims', undefined, context)).toEqual({
      option: {},
      isMissing: false,
    });
  });
});
