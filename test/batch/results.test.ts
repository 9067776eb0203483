import { describe, expect, it } from '@jest/globals';
import { createBatchProcessor, messageId } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { sqsEvent } from 'batchlatch/testing';

const cycle: { self?: unknown } = {};
cycle.self = cycle;

describe('A handler that returns', () => {
  it.each([
    ['nothing', undefined, undefined],
    ['a Date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['a Map', new Map([['a', 1]]), '{}'],
    ['NaN', NaN, 'null'],
  ])('%s completes its record, with what JSON.stringify makes of it', async (_what, value, kept) => {
    const { events, results } = await returning(value);
    expect(events).not.toContain('resultDropped');
    expect(results).toEqual([kept]);
  });

  it.each([
    ['a BigInt', 1n],
    ['a cycle', cycle],
    ['a function', () => 1],
  ])('%s completes its record without a result, and the observer is told', async (_what, value) => {
    const { events, results } = await returning(value);
    expect(events).toContain('resultDropped');
    expect(results).toEqual([undefined]);
  });
});

async function returning(value: unknown) {
  const events: string[] = [];
  const keys: string[] = [];
  const store = memoryStore();
  const processor = createBatchProcessor(
    async (_record, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return value;
    },
    { store, key: messageId(), observer: { onEvent: ({ type }) => events.push(type) } },
  );
  expect(await processor(sqsEvent([{ body: {} }]))).toEqual({ batchItemFailures: [] });
  const claims = await Promise.all(keys.map((key) => store.inspect(key)));
  expect(claims).toMatchObject([{ status: 'COMPLETED' }]);
  return { events, results: claims.map((claim) => claim?.result) };
}
