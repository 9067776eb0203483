import { Random } from '../simulation/virtual-world/random.ts';

/** A few of many, each as likely as another. */
export class Sample<Item> {
  readonly items: Item[] = [];
  readonly #size: number;
  readonly #random: Random;
  #offered = 0;

  constructor(size: number, seed: number | string) {
    this.#size = size;
    this.#random = new Random(seed);
  }

  offer(item: Item): void {
    const place = this.#offered < this.#size ? this.#offered : this.#random.integer(0, this.#offered);
    this.#offered += 1;
    if (place < this.#size) this.items[place] = item;
  }
}
