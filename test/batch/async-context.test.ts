import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';

const ids = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `m${from + index}`);
const eventOf = (messageIds: readonly string[]): ReturnType<typeof sqsEvent> =>
  sqsEvent(messageIds.map((messageId) => ({ messageId, body: {} })));

describe('The asynchronous context of a handler', () => {
  it('is that of its invocation, whatever handlers beside it enter', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const kept: boolean[] = [];
    const processor = createBatchProcessor(
      async ({ id }) => {
        seen.push(storage.getStore());
        storage.enterWith(id);
        await Promise.resolve();
        kept.push(storage.getStore() === id);
      },
      { store: memoryStore() },
    );
    await storage.run('invocation', () => processor(eventOf(ids(0, 20)), lambdaContext()));
    expect(seen).toEqual(Array.from({ length: 20 }, () => 'invocation'));
    expect(kept).toEqual(Array.from({ length: 20 }, () => true));
  });

  it('is that of its own invocation where several share requests to the store', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen = new Map<string, string | undefined>();
    const processor = createBatchProcessor(
      async ({ id }) => {
        seen.set(id, storage.getStore());
      },
      { store: memoryStore(), concurrency: 2 },
    );
    const batches = { a: ids(0, 12), b: ids(100, 12), c: ids(200, 12) };
    await Promise.all(
      Object.entries(batches).map(([name, of]) =>
        storage.run(name, () => processor(eventOf(of), lambdaContext())),
      ),
    );
    for (const [name, of] of Object.entries(batches)) {
      expect(of.map((id) => seen.get(id))).toEqual(of.map(() => name));
    }
  });
});
