/** Of six throws of the dice of lab/model/claim.qnt, the first three differ. */
const DICE = 6n;
const DIFFERENT_THROWS = 3n;

/** In place of Quint's generator of random numbers: gives each series of numbers once. */
export class Choices {
  #series: { at: bigint; readonly bound: bigint }[] = [];
  #index = 0;

  readonly next = (bound: bigint): bigint => {
    const known = this.#series[this.#index];
    const choice = known ?? { at: 0n, bound: bound === DICE ? DIFFERENT_THROWS : bound };
    if (known === undefined) this.#series.push(choice);
    this.#index += 1;
    return choice.at;
  };

  restart(): void {
    this.#series = [];
    this.#index = 0;
  }

  /** Goes on to the next series; false where there is none. */
  advance(): boolean {
    this.#index = 0;
    for (let last = this.#series.at(-1); last !== undefined; last = this.#series.at(-1)) {
      last.at += 1n;
      if (last.at < last.bound) return true;
      this.#series.pop();
    }
    return false;
  }

  readonly getState = (): bigint => 0n;
  readonly setState = (): void => undefined;
}
