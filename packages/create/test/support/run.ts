import { type ChildProcess, execFile, spawn } from 'node:child_process';
import path from 'node:path';

/** npm itself, as a program of Node: by its name alone it cannot be started on Windows. */
function npmProgram(): string {
  const program = process.env['npm_execpath'];
  if (program === undefined) throw new Error('npm has not started this: use `npm run lab:create`');
  return program;
}

/** The environment of a new terminal: npm and jest leave variables and folders of this repository behind. */
function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_|JEST_|NODE_|INIT_CWD$|AWS_|BATCHLATCH_|CLAIMS_)/i.test(name) ||
      /^npm_config_(registry|userconfig|cache)$/i.test(name),
  );
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return {
    ...Object.fromEntries(kept),
    PATH: folders.filter((folder) => path.basename(folder) !== '.bin').join(path.delimiter),
    NO_COLOR: '1',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    ...more,
  };
}

/** Runs a program of Node to its end, and gives what it prints. Rejects with all of it where it fails. */
export function node(
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: environment(more), maxBuffer: 2 ** 26 };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      reject(new Error(`\`${args.join(' ')}\` failed:\n${stdout}\n${stderr}`, { cause: error }));
    });
  });
}

/** Runs npm in a folder. What was downloaded before is not asked for again. */
export function npm(
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const quietly = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
  return node([npmProgram(), ...args], cwd, { ...quietly, ...more });
}

/** A script of a project that runs until it is stopped. */
export class Running {
  readonly #child: ChildProcess;
  #output = '';

  constructor(script: string, cwd: string, more: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(process.execPath, [npmProgram(), 'run', script], {
      cwd,
      env: environment(more),
      // On POSIX a process group of its own, so that what npm starts ends with it.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (text: Buffer): void => void (this.#output += text.toString());
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
  }

  /** What it has printed so far. */
  get output(): string {
    return this.#output;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async stop(): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined || this.hasEnded) return;
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    if (process.platform === 'win32') execFile('taskkill', ['/pid', String(pid), '/t', '/f']);
    else process.kill(-pid, 'SIGTERM');
    await ended;
  }
}
