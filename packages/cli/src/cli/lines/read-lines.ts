import { Buffer } from 'node:buffer';
import type { Line } from '../../sending/line-body.ts';

/** The lines that one chunk completed, and the position after it. */
export interface Lines {
  readonly lines: readonly Line[];
  /** Bytes from the beginning of the source. */
  readonly bytesRead: number;
}

const FEED = 0x0a;

/**
 * Splits a source into lines, and holds at most a chunk and a line. Empty lines are skipped. A line that is
 * longer than `maxBytes`, or not UTF-8, comes with a problem and without its text.
 */
export async function* readLines(
  chunks: AsyncIterable<string | Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Lines> {
  const splitter = new Splitter(maxBytes);
  let bytesRead = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    bytesRead += bytes.length;
    const lines = splitter.split(bytes);
    if (lines.length > 0) yield { lines, bytesRead };
  }
  const last = splitter.end();
  if (last.length > 0) yield { lines: last, bytesRead };
}

class Splitter {
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** The beginning of an unfinished line. */
  #rest: Uint8Array = new Uint8Array();
  #isTooLong = false;
  #number = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  split(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(FEED); end !== -1; end = chunk.indexOf(FEED, start)) {
      this.#add(chunk.subarray(start, end));
      this.#finish(lines);
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  end(): Line[] {
    const lines: Line[] = [];
    if (this.#rest.length > 0 || this.#isTooLong) this.#finish(lines);
    return lines;
  }

  #add(part: Uint8Array): void {
    // Two extra bytes leave room for a line ending, which does not count.
    if (this.#isTooLong || this.#rest.length + part.length > this.#maxBytes + 2) {
      this.#isTooLong = true;
      this.#rest = new Uint8Array();
    } else if (part.length > 0) {
      this.#rest = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    }
  }

  #finish(lines: Line[]): void {
    this.#number += 1;
    const line = this.#line();
    this.#rest = new Uint8Array();
    this.#isTooLong = false;
    if (line.problem !== undefined || line.text.trim() !== '') lines.push(line);
  }

  #line(): Line {
    const number = this.#number;
    const tooLong = {
      number,
      text: '',
      problem: `is longer than ${this.#maxBytes.toLocaleString('en-US')} bytes`,
    };
    if (this.#isTooLong) return tooLong;
    const end = this.#rest.at(-1) === 0x0d ? this.#rest.length - 1 : this.#rest.length;
    if (end > this.#maxBytes) return tooLong;
    try {
      return { number, text: this.#decoder.decode(this.#rest.subarray(0, end)) };
    } catch {
      return { number, text: '', problem: 'is not UTF-8' };
    }
  }
}
