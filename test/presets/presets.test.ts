import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createBatchProcessor, eventBridge, sqs } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { eventBridgeEvent, sqsEvent } from 'batchlatch/testing';
import * as core from '../../src/core.ts';

const work = (): Promise<void> => Promise.resolve();
const failing = (): Promise<void> => Promise.reject(new Error('no such order'));
const oneMessage = sqsEvent([{ body: { orderId: 'o-1' }, messageId: 'm-1' }]);
const store = memoryStore;

afterEach(() => {
  jest.restoreAllMocks();
});

/** What is printed from now on, in place of printing it. */
function printed(): readonly unknown[][] {
  return [
    jest.spyOn(process.stdout, 'write').mockReturnValue(true),
    jest.spyOn(console, 'log').mockReturnValue(),
    jest.spyOn(console, 'error').mockReturnValue(),
  ].map(({ mock }) => mock.calls);
}

describe('The processor of batchlatch/core', () => {
  it('names the option that is missing, when it is made', () => {
    const make = (options: object): unknown =>
      core.createBatchProcessor(work, options as Parameters<typeof core.createBatchProcessor>[1]);
    expect(() => make({ store: store() })).toThrow(/Expected `source` to be a source, such as sqs\(\)/);
    expect(() => make({ source: sqs() })).toThrow(
      /Expected `store` to be a claim store, such as dynamoDBStore/,
    );
  });

  it('prints nothing without an observer, where that of batchlatch prints a line for a failed record', async () => {
    const calls = printed();
    jest.replaceProperty(process, 'env', { ...process.env, BATCHLATCH_LOG_LEVEL: 'info' });
    const handler = core.createBatchProcessor(failing, { source: sqs(), store: store() });
    expect(await handler(oneMessage)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }] });
    expect(calls.flat()).toEqual([]);
    await createBatchProcessor(failing, { store: store() })(oneMessage);
    expect(calls.flat()).not.toEqual([]);
  });

  it('refuses an event of another source than its own', async () => {
    const handler = core.createBatchProcessor(work, { source: eventBridge(), store: store() }) as (
      event: unknown,
    ) => Promise<unknown>;
    await expect(handler(oneMessage)).rejects.toThrow(/`source` is EventBridge/);
  });
});

describe('The processor of batchlatch', () => {
  it('recognises the events of every source', async () => {
    const handler = createBatchProcessor(work, { store: store() });
    expect(await handler(oneMessage)).toEqual({ batchItemFailures: [] });
    await expect(handler(eventBridgeEvent({ detail: { orderId: 'o-2' } }))).resolves.toBeUndefined();
  });
});
