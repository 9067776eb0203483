import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { inProcessGroup, signalGroup } from './process-group.ts';

/** A server program, and the check for its readiness. */
export interface ChildCommand {
  /** Used in messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** The whole environment. Default: the one of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Called with what the program prints. */
  readonly onOutput?: ((text: string) => void) | undefined;
  /** Checks the service, and returns soon. Called until it returns true; a rejection counts as false. */
  readonly isReady: () => Promise<boolean>;
  /** Default: 30,000. */
  readonly readyWithinMs?: number | undefined;
}

/** A program that is running and ready. */
export interface RunningChild {
  readonly pid: number;
  /** Returns the end of the program's output so far. */
  lastOutput(): string;
  /** Sends SIGTERM, then SIGKILL after five seconds; resolves when the program has exited. */
  stop(): Promise<void>;
}

const POLL_MS = 20;
const STOP_WITHIN_MS = 5_000;
const OUTPUT_WITHIN_MS = 500;
const KEPT_OUTPUT = 65_536;
const SHOWN_OUTPUT = 4_096;

/** Starts a program; resolves when it is ready. Rejects, with its output, if it exits or takes too long. */
export async function startChild(command: ChildCommand): Promise<RunningChild> {
  const child = launch(command);
  const deadline = performance.now() + (command.readyWithinMs ?? 30_000);
  while (!(await isReady(command))) {
    if (child.hasExited()) throw failure(command, child, 'ended before it was ready');
    if (performance.now() > deadline) {
      await child.stop();
      throw failure(command, child, 'was not ready in time');
    }
    await delay(POLL_MS);
  }
  // If the program has exited meanwhile, another one answered on that port.
  if (child.hasExited()) throw failure(command, child, 'ended before it was ready');
  return child;
}

interface Launched extends RunningChild {
  hasExited(): boolean;
}

function launch({ name, command, args, cwd, env, onOutput }: ChildCommand): Launched {
  const grouped = inProcessGroup(name, command, args);
  const child = spawn(grouped.command, grouped.args, {
    cwd,
    env: env ?? process.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;

  let output = '';
  const keep = (chunk: Buffer): void => {
    const text = chunk.toString('utf8');
    output = (output + text).slice(-KEPT_OUTPUT);
    onOutput?.(text);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);

  let hasExited = false;
  const exited = new Promise<void>((resolve) => {
    const end = (): void => {
      hasExited = true;
      resolve();
    };
    child.once('exit', () => {
      // Ends the watcher, and processes that the program left in its group.
      signalGroup(pid, 'SIGKILL');
      // 'close' follows once the output is read; a descendant outside the group may keep it open.
      setTimeout(end, OUTPUT_WITHIN_MS).unref();
    });
    child.once('close', end);
    child.once('error', (error) => {
      output += error.message;
      end();
    });
  });

  return {
    pid: pid ?? -1,
    hasExited: () => hasExited,
    lastOutput: () => output.trim(),
    async stop() {
      if (hasExited) return;
      signalGroup(pid, 'SIGTERM');
      const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), STOP_WITHIN_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function isReady(command: ChildCommand): Promise<boolean> {
  try {
    return await command.isReady();
  } catch {
    return false;
  }
}

function failure(command: ChildCommand, child: RunningChild, what: string): Error {
  return new Error(
    `${command.name} ${what}. It printed:\n${child.lastOutput().slice(-SHOWN_OUTPUT) || '(nothing)'}`,
  );
}
