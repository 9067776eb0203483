import { describe, expect, it } from '@jest/globals';
import type { HandedBack } from 'batchlatch';
import { allOrNothing, checkpoint, itemFailures } from '../../src/sources/answers.ts';

/** What is handed back of records, one for each character: a capital is, and its identifier is its place. `unnamed` have none. */
function handedBack(ends: string, ...unnamed: number[]): HandedBack[] {
  const identifiers = ends.split('').map((_, index) => (unnamed.includes(index) ? undefined : `s${index}`));
  return ends.split('').flatMap((end, index) =>
    end === end.toLowerCase()
      ? []
      : [
          {
            itemIdentifier: identifiers[index],
            nearestIdentifier: identifiers.slice(0, index + 1).findLast((one) => one !== undefined),
            error: () => new Error(`${end} failed`),
          },
        ],
  );
}

const UNNAMED = expect.objectContaining({ code: 'BATCHLATCH_UNNAMED_RECORD' });

describe('itemFailures', () => {
  it('names every record that is handed back, once', () => {
    expect(itemFailures(handedBack('aBcD'))).toEqual({
      batchItemFailures: [{ itemIdentifier: 's1' }, { itemIdentifier: 's3' }],
    });
    const twice = handedBack('AB').map((ending) => ({ ...ending, itemIdentifier: 'same' }));
    expect(itemFailures(twice)).toEqual({ batchItemFailures: [{ itemIdentifier: 'same' }] });
    expect(itemFailures(handedBack('ab'))).toEqual({ batchItemFailures: [] });
  });

  it('is a failure of the whole where one that failed has no name', () => {
    expect(() => itemFailures(handedBack('aB', 1))).toThrow(UNNAMED);
    expect(itemFailures(handedBack('aB', 0))).toEqual({ batchItemFailures: [{ itemIdentifier: 's1' }] });
  });
});

describe('checkpoint', () => {
  it('is empty when all is done', () => {
    expect(checkpoint(handedBack('ab'))).toEqual({ batchItemFailures: [] });
  });

  it('names the first that is left, and nothing behind it', () => {
    expect(checkpoint(handedBack('aBcD'))).toEqual({ batchItemFailures: [{ itemIdentifier: 's1' }] });
  });

  it('names the nearest record before the failure that has a number', () => {
    expect(checkpoint(handedBack('abC', 1, 2))).toEqual({ batchItemFailures: [{ itemIdentifier: 's0' }] });
  });

  it('is a failure of the whole where none has', () => {
    expect(() => checkpoint(handedBack('aB', 0, 1))).toThrow(UNNAMED);
  });
});

describe('allOrNothing', () => {
  it('is nothing when all is done', () => {
    expect(allOrNothing(handedBack('ab'))).toBeUndefined();
  });

  it('is a rejection with the first failure', () => {
    expect(() => allOrNothing(handedBack('aBC'))).toThrow('B failed');
  });
});
