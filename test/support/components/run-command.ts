import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const SHOWN_OUTPUT = 3_000;

export interface RunOptions {
  readonly cwd?: string | undefined;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Default 10 minutes. */
  readonly timeoutMs?: number | undefined;
}

/** Runs a program to its end and gives what it printed. Rejects with the end of its output when it fails. */
export function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 600_000 }: RunOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd, env: { ...process.env, ...env }, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024 };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const output = `${stdout}\n${stderr}`.trim().slice(-SHOWN_OUTPUT);
      reject(
        new Error(`\`${[command, ...args].join(' ')}\` failed:\n${output || error.message}`, {
          cause: error,
        }),
      );
    });
  });
}

/** Whether a program of this name is on PATH. */
export function isOnPath(command: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => isExecutable(join(folder, command)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
