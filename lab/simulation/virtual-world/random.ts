/**
 * A seeded source of randomness: the same seed gives the same numbers on every machine. Each concern of the
 * simulation takes a fork of its own, so that a change in one does not shuffle the others.
 */
export class Random {
  #state: number;

  constructor(seed: number | string) {
    this.#state = hash(String(seed));
  }

  /** From 0 up to, not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** A whole number whose size, rather than itself, is evenly spread: as many from 1 to 10 as from 10 to 100. */
  magnitude(from: number, to: number): number {
    return Math.round(this.rate(from, to));
  }

  /** A probability whose size is evenly spread. */
  rate(from: number, to: number): number {
    return from * (to / from) ** this.next();
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)] as Item;
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    const copy = [...items];
    for (let last = copy.length - 1; last > 0; last -= 1) {
      const other = this.integer(0, last);
      [copy[last], copy[other]] = [copy[other] as Item, copy[last] as Item];
    }
    return copy;
  }

  fork(name: string): Random {
    return new Random(`${name}:${Math.floor(this.next() * 4_294_967_296)}`);
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01_00_01_93);
  }
  return value >>> 0;
}
