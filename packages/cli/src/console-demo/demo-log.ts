import { type Observer, jsonLines } from 'batchlatch/observe';
import type { ReadLog } from '../console/waterfall/read-waterfall.ts';

/** The lines that are kept: about ten minutes of work. */
const MOST_LINES = 20_000;

/** The log of the demo's functions, in memory. */
export class DemoLog {
  readonly observer: Observer;
  #lines: string[] = [];

  constructor() {
    this.observer = jsonLines({ level: 'debug', write: (line) => this.#keep(line) });
  }

  /** Returns the lines, oldest first. */
  lines(): readonly string[] {
    return this.#lines;
  }

  readonly read: ReadLog = async ({ text }) => this.#lines.filter((line) => line.includes(text));

  #keep(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > MOST_LINES * 2) this.#lines = this.#lines.slice(-MOST_LINES);
  }
}
