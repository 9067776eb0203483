import { describe, expect, it } from '@jest/globals';
import { problemLine, problemsOf } from '../../../lab/way/budgets.ts';

const lines = (figures: Record<string, number>, budgets: Record<string, number>): string[] =>
  problemsOf(new Map(Object.entries(figures)), new Map(Object.entries(budgets))).map(problemLine);

describe('the budgets of a record', () => {
  it('are kept by figures that are at most as large', () => {
    expect(lines({ calls: 110, promises: 2.9 }, { calls: 110, promises: 3 })).toEqual([]);
  });

  it('name a figure that is larger, with both', () => {
    expect(lines({ calls: 111, promises: 2.9 }, { calls: 110, promises: 3 })).toEqual([
      'calls: 111, budget 110',
    ]);
  });

  it('name a figure that has none: a new bundle needs one', () => {
    expect(lines({ calls: 1 }, {})).toEqual(['calls: 1, and no budget']);
  });

  it('name one of which there is no figure: what is not measured is not kept', () => {
    expect(lines({}, { calls: 1 })).toEqual(['calls: has a budget and was not measured']);
  });
});
