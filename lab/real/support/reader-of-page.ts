import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { PageStep } from '../../../test/docs/page-steps.ts';
import { until } from '../../../test/support/until.ts';

/** Somebody who does what a page says, in a folder. */
export interface ReaderOfPage {
  /** Rejects when a command fails, or does not print what the page says. */
  follow(step: PageStep): Promise<void>;
  /** A variable that the command that stays has told. */
  told(variable: string): string;
  /** Ctrl-C in its terminal; resolves when it has ended. */
  interrupt(): Promise<void>;
}

interface ReaderOptions {
  readonly folder: string;
  /** The `node` that commands run on. */
  readonly node: string;
  /** A command that stays, and what it prints when it is ready. The lines `export …` that it prints are entered. */
  readonly stays: string;
  readonly ready: RegExp;
  /** What the page calls something by, and what it is here. */
  readonly replaced: Readonly<Record<string, string>>;
  /** How a line that the page shows is printed here. */
  readonly printedAs: (line: string) => string;
}

const WITHIN_MS = 60_000;

export function readerOfPage(options: ReaderOptions): ReaderOfPage {
  const { folder, node, stays, ready, replaced, printedAs } = options;
  let env = surroundings(node);
  let staying: Running | undefined;

  async function runs(command: string, printed: readonly string[]): Promise<void> {
    const running = start(replaced[command] ?? command, folder, env);
    if (command === stays) {
      staying = running;
      await until(
        `it prints ${String(ready)}`,
        () => running.hasEnded() || ready.test(running.printed()),
        WITHIN_MS,
      );
      env = { ...env, ...exportsIn(running.printed()) };
    } else {
      await until(`${command} ends`, running.hasEnded, 5 * WITHIN_MS);
      if (running.process.exitCode !== 0) throw new Error(`${command} failed:\n${running.printed()}`);
    }
    expectLines(running.printed(), printed.map(printedAs));
  }

  /** Their order is that in which records ended, which differs. */
  async function sees(shown: readonly string[]): Promise<void> {
    const printed = shown.map(printedAs);
    const isThere = (): boolean => missingOf(staying?.printed() ?? '', printed).length === 0;
    await until('the last lines are printed', isThere, WITHIN_MS).catch(() => undefined);
    const missing = missingOf(staying?.printed() ?? '', printed);
    if (missing.length > 0)
      throw new Error(`Not printed:\n${missing.join('\n')}\nbut:\n${staying?.printed()}`);
  }

  return {
    async follow(step) {
      if (step.does === 'writes') await writeFile(path.join(folder, step.file), step.text);
      else if (step.does === 'runs') await runs(step.command, step.printed);
      else await sees(step.printed);
    },
    told: (variable) => env[variable] ?? '',
    async interrupt() {
      if (staying?.process.pid === undefined) return;
      // The terminal sends it to all that the command has started.
      if (!staying.hasEnded()) process.kill(-staying.process.pid, 'SIGINT');
      await until('it ends', staying.hasEnded, WITHIN_MS);
    },
  };
}

interface Running {
  readonly process: ChildProcess;
  readonly printed: () => string;
  readonly hasEnded: () => boolean;
}

function start(command: string, cwd: string, env: NodeJS.ProcessEnv): Running {
  const child = spawn('bash', ['-c', command], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let hasEnded = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  child.once('close', () => {
    hasEnded = true;
  });
  return { process: child, printed: () => printed, hasEnded: () => hasEnded };
}

/** A new user's: nothing of the test runner's, of npm's or of AWS's. */
function surroundings(node: string): NodeJS.ProcessEnv {
  // Certificates of the machine: its registry may need one that Node does not bring.
  const { PATH = '', HOME, NODE_EXTRA_CA_CERTS } = process.env;
  return {
    PATH: [path.dirname(node), PATH].join(path.delimiter),
    HOME,
    NODE_EXTRA_CA_CERTS,
    NO_COLOR: '1',
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  };
}

function exportsIn(printed: string): Record<string, string> {
  const lines = printed.split('\n').filter((line) => line.startsWith('export '));
  const pairs = lines.flatMap((line) => [...line.matchAll(/(\w+)=(\S+)/g)]);
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
}

/** Each line of the page, in its order; others may be between them. */
function expectLines(printed: string, expected: readonly string[]): void {
  const lines = printed.split('\n').map(steady);
  let from = 0;
  for (const line of expected) {
    const at = lines.indexOf(steady(line), from);
    if (at === -1) throw new Error(`Not printed: ${line}\nbut:\n${printed}`);
    from = at + 1;
  }
}

function missingOf(printed: string, expected: readonly string[]): string[] {
  const lines = new Set(printed.split('\n').map(steady));
  return expected.filter((line) => !lines.has(steady(line)));
}

/** Without what differs from run to run: times, durations, ports and how columns are filled. */
function steady(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, '<time>')
    .replaceAll(/\b[\d.]+ ?ms\b/g, '<duration>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '<address>')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
