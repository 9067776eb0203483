import { Presets, SingleBar } from 'cli-progress';

/** Shows on the terminal what a run does. On anything else, a line for each section. */
export interface Progress {
  section(name: string, steps: number): void;
  step(detail?: string): void;
  /** Something to be said at once, such as why a section is left out. */
  note(text: string): void;
  end(): void;
}

export function createProgress(): Progress {
  const isTerminal = process.stderr.isTTY;
  let bar: SingleBar | undefined;
  const startedAt = performance.now();

  function line(text: string): void {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    process.stderr.write(`${seconds.padStart(4)} s  ${text}\n`);
  }

  return {
    section(name, steps) {
      bar?.stop();
      if (!isTerminal) {
        line(name);
        return;
      }
      const format = `${name.padEnd(24)} {bar} {value}/{total} {detail}`;
      bar = new SingleBar({ format, hideCursor: true, stream: process.stderr }, Presets.rect);
      bar.start(steps, 0, { detail: '' });
    },
    step(detail = '') {
      bar?.increment(1, { detail });
    },
    note(text) {
      bar?.stop();
      bar = undefined;
      line(text);
    },
    end() {
      bar?.stop();
      bar = undefined;
    },
  };
}
