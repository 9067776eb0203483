import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Context, SQSEvent } from 'aws-lambda';

/** What a sandbox is told to run: one event, once. */
export interface Invocation {
  readonly event: SQSEvent;
  readonly requestId: string;
  readonly functionName: string;
  /** Epoch milliseconds; parent and child share the machine's clock. */
  readonly deadline: number;
}

/** What a sandbox says: first that its handler is loaded, then an answer to each invocation. */
export type SandboxMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly answer: unknown }
  | { readonly type: 'error'; readonly name: string; readonly message: string };

export interface SandboxOptions {
  /** The module whose export `handler` is the function. */
  readonly handlerModule: URL;
  /** On top of this process's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Warning codes and types that the process does not print. */
  readonly silencedWarnings?: readonly string[];
  /** Whether its log, on standard error, is dropped. Default false. */
  readonly isSilent?: boolean;
}

/** A process that runs one invocation at a time, as an execution environment of Lambda does. */
export interface Sandbox {
  readonly pid: number;
  readonly isAlive: boolean;
  /** Rejects when the handler does, when the process dies, and when time is up: then the process is killed. */
  invoke(event: SQSEvent, context: Context): Promise<unknown>;
  /** Ends the process at once, whatever it is doing. */
  kill(): void;
  /** Ends the process, and resolves when it is gone. */
  stop(): Promise<void>;
}

/** A busy machine may take this long to carry an answer that was given in time. Lambda waits for none. */
const ANSWER_WITHIN_MS = 2_000;

const PROGRAM = fileURLToPath(new URL('./sandbox-process.ts', import.meta.url));

/** Starts a process and loads the handler in it. The process ends with this one, however this one ends. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const child = launch(options);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // The first thing it says is that it is ready.
  await Promise.race([once(child, 'message'), exited]);
  if (!isAlive(child)) {
    throw new Error(`The sandbox could not load ${options.handlerModule.href} (its output says why)`);
  }

  return {
    pid: child.pid ?? -1,
    get isAlive() {
      return isAlive(child);
    },
    invoke: (event, context) => invoke(child, event, context),
    kill: () => void child.kill('SIGKILL'),
    stop: () => killAndWait(child, exited),
  };
}

function launch({
  handlerModule,
  env,
  silencedWarnings = [],
  isSilent = false,
}: SandboxOptions): ChildProcess {
  const log = isSilent ? 'ignore' : 2;
  return fork(PROGRAM, [handlerModule.href], {
    // Wherever the working directory is, TypeScript is loaded as it is here.
    execArgv: [
      '--import',
      import.meta.resolve('tsx'),
      ...silencedWarnings.map((warning) => `--disable-warning=${warning}`),
    ],
    env: { ...process.env, ...env },
    // Lambda's log. Standard output is for this process's results.
    stdio: ['ignore', log, log, 'ipc'],
  });
}

function invoke(child: ChildProcess, event: SQSEvent, context: Context): Promise<unknown> {
  const { awsRequestId: requestId, functionName } = context;
  const timeoutMs = context.getRemainingTimeInMillis();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      end(() => reject(new Error(`Task timed out after ${(timeoutMs / 1_000).toFixed(2)} seconds`)));
    }, timeoutMs + ANSWER_WITHIN_MS);
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      settle();
    };
    const onMessage = (message: SandboxMessage): void => {
      switch (message.type) {
        case 'answer':
          return end(() => resolve(message.answer));
        case 'error':
          return end(() => reject(Object.assign(new Error(message.message), { name: message.name })));
        case 'ready':
          return;
      }
    };
    const onExit = (code: number | null, signal: string | null): void =>
      end(() => reject(new Error(`Runtime exited with error: ${signal ?? `exit status ${code}`}`)));

    child.on('message', onMessage);
    child.on('exit', onExit);
    const invocation: Invocation = { event, requestId, functionName, deadline: Date.now() + timeoutMs };
    // A child that is gone is reported by its exit.
    if (isAlive(child)) child.send(invocation, () => undefined);
    else onExit(child.exitCode, child.signalCode);
  });
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null && child.connected;
}

async function killAndWait(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill('SIGKILL');
  await exited;
}
