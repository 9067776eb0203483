import { describe, expect, it } from '@jest/globals';
import type { Ending } from 'batchlatch';
import { allOrNothing, checkpoint, itemFailures } from '../../src/sources/answers.ts';

/** One ending for each character: a letter is acknowledged, a capital is not; its identifier is its place. */
function endings(ends: string): Ending[] {
  return ends.split('').map((end, index) => ({
    itemIdentifier: `s${index}`,
    isAcknowledged: end === end.toLowerCase(),
    error: () => new Error(`${end} failed`),
  }));
}

function unnamed(ends: string, ...indexes: number[]): Ending[] {
  return endings(ends).map((ending, index) =>
    indexes.includes(index) ? { ...ending, itemIdentifier: undefined } : ending,
  );
}

const UNNAMED = expect.objectContaining({ code: 'BATCHLATCH_UNNAMED_RECORD' });

describe('itemFailures', () => {
  it('names every record that is not acknowledged, once', () => {
    expect(itemFailures(endings('aBcD'))).toEqual({
      batchItemFailures: [{ itemIdentifier: 's1' }, { itemIdentifier: 's3' }],
    });
    const twice = endings('AB').map((ending) => ({ ...ending, itemIdentifier: 'same' }));
    expect(itemFailures(twice)).toEqual({ batchItemFailures: [{ itemIdentifier: 'same' }] });
    expect(itemFailures(endings('ab'))).toEqual({ batchItemFailures: [] });
  });

  it('is a failure of the whole where one that failed has no name', () => {
    expect(() => itemFailures(unnamed('aB', 1))).toThrow(UNNAMED);
    expect(itemFailures(unnamed('aB', 0))).toEqual({ batchItemFailures: [{ itemIdentifier: 's1' }] });
  });
});

describe('checkpoint', () => {
  it('is empty when all is done', () => {
    expect(checkpoint(endings('ab'))).toEqual({ batchItemFailures: [] });
  });

  it('names the first that is left, and nothing behind it', () => {
    expect(checkpoint(endings('aBcD'))).toEqual({ batchItemFailures: [{ itemIdentifier: 's1' }] });
  });

  it('names the nearest record before the failure that has a number', () => {
    expect(checkpoint(unnamed('abC', 1, 2))).toEqual({ batchItemFailures: [{ itemIdentifier: 's0' }] });
  });

  it('is a failure of the whole where none has', () => {
    expect(() => checkpoint(unnamed('aB', 0, 1))).toThrow(UNNAMED);
  });
});

describe('allOrNothing', () => {
  it('is nothing when all is done', () => {
    expect(allOrNothing(endings('ab'))).toBeUndefined();
  });

  it('is a rejection with the first failure', () => {
    expect(() => allOrNothing(endings('aBC'))).toThrow('B failed');
  });
});
