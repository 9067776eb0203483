import { describe, expect, it } from '@jest/globals';
import { failedItems } from '../../src/worker/failed-items.ts';

const BATCH = ['a', 'b', 'c'];
const NONE: string[] = [];

describe("an answer to a batch, read as Lambda's event source mapping does,", () => {
  it.each([
    ['the messages it names', { batchItemFailures: [{ itemIdentifier: 'b' }] }, ['b']],
    ['none when there is no answer', undefined, NONE],
    ['none when the answer is null', null, NONE],
    ['none when it has no list', {}, NONE],
    ['none when the list is null', { batchItemFailures: null }, NONE],
    ['none when the list is empty', { batchItemFailures: [] }, NONE],
    ['all when an identifier is empty', { batchItemFailures: [{ itemIdentifier: '' }] }, BATCH],
    ['all when an identifier is null', { batchItemFailures: [{ itemIdentifier: null }] }, BATCH],
    ['all when an entry is misspelt', { batchItemFailures: [{ itemIdentifer: 'a' }] }, BATCH],
    [
      'all when a message was not in the batch',
      { batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'd' }] },
      BATCH,
    ],
    ['all when the list is no list', { batchItemFailures: 'a' }, BATCH],
  ])('gives back %s', (_, answer, failed) => {
    expect([...failedItems(answer, BATCH)]).toEqual(failed);
  });
});
