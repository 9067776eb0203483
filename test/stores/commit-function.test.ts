import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import {
  cached,
  type ClaimStore,
  ConfigurationError,
  createBatchProcessor,
  type RecordContext,
  resultsIn,
} from 'batchlatch';
import { commit, type CommitItem, dynamoDBStore } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { sqsEvent } from 'batchlatch/testing';
import { ATTEMPT, type AttemptHandle } from '../../src/claims/attempt-handle.ts';
import { memoryResultStorage } from '../support/memory-result-storage.ts';

const item: CommitItem = { Put: { TableName: 'orders', Item: { id: 'o-1' } } };

/** Runs one record through a handler, and gives what it threw. */
async function run(
  store: ClaimStore,
  handle: (context: RecordContext) => Promise<unknown>,
): Promise<unknown> {
  let thrown: unknown;
  const handler = createBatchProcessor(
    async (_, context) => {
      await handle(context).catch((error: unknown) => {
        thrown = error;
      });
    },
    { store, namespace: 'commit-function', observer: { onEvent: () => undefined } },
  );
  await handler(sqsEvent([{ body: {} }]));
  return thrown;
}

describe('commit of batchlatch/dynamodb', () => {
  it("takes what lib-dynamodb calls TransactWriteCommandInput['TransactItems'], without a cast", async () => {
    const items: TransactWriteCommandInput['TransactItems'] = [
      { Put: { TableName: 't', Item: { id: 1, tags: new Set(['a']), blob: new Uint8Array([1]) } } },
      {
        Update: {
          TableName: 't',
          Key: { id: 1 },
          UpdateExpression: 'ADD n :n',
          ExpressionAttributeValues: { ':n': 1n },
        },
      },
      { Delete: { TableName: 't', Key: { id: 1 }, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
      { ConditionCheck: { TableName: 't', Key: { id: 1 }, ConditionExpression: 'attribute_exists(id)' } },
    ];
    const committed: unknown[] = [];
    const store = memoryStore({ onCommit: (some: typeof items) => void committed.push(some) });
    expect(await run(store, (context) => commit(context, items))).toBeUndefined();
    expect(committed).toEqual([items]);
  });

  it('reaches the store through a cache and a result storage', async () => {
    const committed: unknown[] = [];
    const memory = memoryStore({ onCommit: (items) => void committed.push(items) });
    const store = cached(resultsIn(memoryResultStorage().storage, memory), { max: 10 });
    expect(await run(store, (context) => commit(context, [item]))).toBeUndefined();
    expect(committed).toEqual([[item]]);
  });

  it('hands the attempt of a context made by hand its items and its result', async () => {
    const calls: unknown[] = [];
    const attempt = { completeWith: async (...call: unknown[]) => void calls.push(call) };
    const context = { [ATTEMPT]: attempt as unknown as AttemptHandle };
    await commit(context, [item], { result: 3 });
    expect(calls).toMatchObject([[{ content: [item] }, 3]]);
    expect(ATTEMPT).toBe(Symbol.for('batchlatch.attempt'));
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a fake of a test', { idempotencyKey: 'k' }],
    ['the items', [item]],
  ])('says what to give it where it gets %s for a context', async (_what, context) => {
    const error: unknown = await commit(context as RecordContext, [item]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'BATCHLATCH_CONFIGURATION' });
    expect(String(error)).toContain('memoryStore({ onCommit })');
  });

  it('says what is missing where the claim store has no transactions', async () => {
    const error = await run(memoryStore(), (context) => commit(context, [item]));
    expect(error).toMatchObject({ code: 'BATCHLATCH_CONFIGURATION' });
    expect(String(error)).toContain('memoryStore({ onCommit })');
  });

  it('tells the handler the error that onCommit gives back as the refusal, and goes on', async () => {
    const refusal = new Error('too little on the account');
    const outcomes: (Error | undefined)[] = [refusal, undefined];
    const store = memoryStore({ onCommit: () => outcomes.shift() });
    const errors: unknown[] = [];
    const thrown = await run(store, async (context) => {
      await commit(context, [item]).catch((error: unknown) => errors.push(error));
      await commit(context, [item]);
    });
    expect([errors, thrown]).toEqual([[refusal], undefined]);
  });
});

describe('an effect of another kind of store', () => {
  it('is refused by dynamoDBStore before anything is sent', async () => {
    const send = (): Promise<never> => Promise.reject(new Error('sent'));
    const store = dynamoDBStore({ tableName: 'claims', client: { send } });
    const completion = { end: 'complete', key: 'k', owner: 'o', retentionMs: 1_000 } as const;
    const outcome = await store.commit?.(completion, () => 'an effect of PostgreSQL');
    expect(outcome).toEqual({ refused: expect.any(ConfigurationError) });
    expect((outcome as { refused: Error }).refused.message).toContain('`commit` of batchlatch/dynamodb');
  });
});
