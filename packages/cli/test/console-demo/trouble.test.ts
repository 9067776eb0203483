import { describe, expect, it } from '@jest/globals';
import { failureOf, idOf, KINDS, kindOf } from '../../src/console-demo/kinds-of-work.ts';
import {
  durationOf,
  FIRST_NUMBER,
  isLasting,
  MOST_RECEIVES,
  type Trouble,
  troubleOf,
} from '../../src/console-demo/trouble.ts';

const numbers = (count: number, from = FIRST_NUMBER): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

describe("The work of the console's demo", () => {
  it('is the same again for a seed, and other work for another', () => {
    const of = (seed: number): string[] =>
      numbers(500).map((number) => `${troubleOf(seed, number)} ${durationOf(seed, number, 1, 'none')}`);
    expect(of(1)).toEqual(of(1));
    expect(of(2)).not.toEqual(of(1));
  });

  it('has one of each kind of trouble among the first, orders that are declined among them', () => {
    const first = numbers(12).map((number) => [kindOf(number).namespace, troubleOf(7, number)]);
    expect(new Set(first.map(([, trouble]) => trouble)).size).toBe(9);
    expect(first).toContainEqual(['orders', 'declined']);
  });

  it('waits for a person in about one of seventy', () => {
    const lasting = numbers(20_000, FIRST_NUMBER + 100).filter((number) => isLasting(troubleOf(3, number)));
    expect(lasting.length / 20_000).toBeGreaterThan(0.011);
    expect(lasting.length / 20_000).toBeLessThan(0.019);
  });

  it('mostly takes less than two seconds, and at times many', () => {
    for (const number of numbers(1_000)) {
      expect(durationOf(1, number, 1, 'none')).toBeGreaterThanOrEqual(60);
      expect(durationOf(1, number, 1, 'none')).toBeLessThan(1_800);
      expect(durationOf(1, number, 1, 'slow')).toBeGreaterThanOrEqual(8_000);
    }
  });

  it.each(KINDS.map((kind) => [kind.namespace, kind] as const))(
    'succeeds after a person has released it or sent it back: %s',
    (_name, kind) => {
      const failed = (trouble: Trouble, attempt: number): boolean | undefined =>
        failureOf(kind, trouble, attempt, MOST_RECEIVES)?.isForGood;
      expect([1, 2].map((attempt) => failed('declined', attempt))).toEqual([true, undefined]);
      expect([1, 2, 3, 4].map((attempt) => failed('out-of-stock', attempt))).toEqual([
        false,
        false,
        false,
        undefined,
      ]);
      expect([1, 2, 9].map((attempt) => failed('always-declined', attempt))).toEqual([true, true, true]);
      expect(failed('kills-its-process', 4)).toBeUndefined();
    },
  );

  it('has its id in its body', () => {
    for (const number of [1, 2, 3]) {
      const kind = kindOf(number);
      expect(kind.body(idOf(kind, number), 5)).toMatchObject({ [kind.idName]: idOf(kind, number) });
    }
  });
});
