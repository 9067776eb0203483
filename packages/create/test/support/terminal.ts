import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { until } from '../../../../test/support/until.ts';
import type { Io } from '../../src/io.ts';
import { runCreate } from '../../src/run-create.ts';

/** The keys that a person presses. */
export const KEYS = { enter: '\r', down: '\u001B[B', ctrlC: '\u0003' } as const;

/** Standard input and output of one run of the command, with or without a person before them. */
export class Terminal {
  readonly #stdin = new PassThrough();
  readonly #stdout = new PassThrough();
  readonly #stderr = new PassThrough();
  readonly #io: Io;
  #shown = '';
  #errors = '';

  constructor(cwd: string, { isTTY = false, env = {} }: { isTTY?: boolean; env?: NodeJS.ProcessEnv } = {}) {
    this.#stdout.setEncoding('utf8').on('data', (text: string) => (this.#shown += text));
    this.#stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    this.#io = {
      stdin: Object.assign(this.#stdin, { isTTY, setRawMode: () => undefined }),
      stdout: Object.assign(this.#stdout, { isTTY, columns: 80, rows: 24 }),
      stderr: this.#stderr,
      env,
      cwd,
    };
  }

  /** Starts the command. Resolves to its exit status. */
  run(...argv: readonly string[]): Promise<number> {
    return runCreate(argv, this.#io);
  }

  /** Waits for a question, and answers it. */
  async answer(question: string, ...keys: readonly string[]): Promise<void> {
    await until(`it asks "${question}"`, () => this.shown.includes(question));
    for (const key of keys) {
      this.#stdin.write(key);
      // Each key is an event of its own, as from a keyboard.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Standard output so far, without colours. */
  get shown(): string {
    return stripVTControlCharacters(this.#shown);
  }

  get errors(): string {
    return this.#errors;
  }
}
