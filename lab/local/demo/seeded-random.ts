/** Random choices that are the same again for the same seed. */
export interface SeededRandom {
  /** An integer from 0 up to, not including, `below`. */
  integer(below: number): number;
  shuffled<Item>(items: readonly Item[]): Item[];
}

/** The generator is mulberry32: 32 bits of state, good enough to mix orders. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  function integer(below: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  }
  return {
    integer,
    shuffled(items) {
      const copy = [...items];
      for (let last = copy.length - 1; last > 0; last -= 1) {
        const other = integer(last + 1);
        [copy[last], copy[other]] = [
          copy[other] as (typeof copy)[number],
          copy[last] as (typeof copy)[number],
        ];
      }
      return copy;
    },
  };
}
