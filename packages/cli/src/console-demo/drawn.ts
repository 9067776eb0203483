/** Returns an integer in [0, `below`) from `seed` and `number` alone, by the mixing of mulberry32. */
export function drawn(seed: number, number: number, below: number): number {
  const state = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b);
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
}
