import { readdirSync, readFileSync } from 'node:fs';
import { startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import { type NodeVersion, nodeBinary } from './node.ts';
import { runtimeInterfaceClient, runtimeInterfaceEmulator } from './lambda-toolchain.ts';

export interface LambdaRuntimeOptions {
  readonly node: NodeVersion;
  /** The folder of the built function. */
  readonly folder: string;
  /** File and export, as Lambda takes it: `index.handler`. */
  readonly handler: string;
  readonly functionName: string;
  readonly timeoutSeconds: number;
  /** Added to what Lambda sets. Nothing of this process's environment gets through. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether the function's process stands still between invocations, as it does in Lambda; the emulator lets it
   * run on. What the function prints last may then be seen only when it goes on. Default false.
   */
  readonly freezes?: boolean | undefined;
}

export interface LambdaRuntime {
  /**
   * Invokes the function and resolves to its answer. Rejects with a {@link LambdaInvocationError} when the
   * handler throws, the invocation times out or the process ends.
   *
   * Invocations run one after the other, as in one execution environment; concurrent ones crash the emulator.
   */
  invoke(event: unknown): Promise<unknown>;
  /** The end of what the function and the emulator have printed. */
  lastOutput(): string;
  stop(): Promise<void>;
}

/** An invocation that Lambda would report as a function error. */
export class LambdaInvocationError extends Error {
  override readonly name = 'LambdaInvocationError';
  /** The class of what the handler threw, or Lambda's own: `Sandbox.Timedout`, `Runtime.ExitError`. */
  readonly errorType: string;

  constructor(errorType: string, message: string) {
    super(message);
    this.errorType = errorType;
  }
}

const INVOCATIONS = '/2015-03-31/functions/function/invocations';
const INIT_ALLOWANCE_MS = 10_000;

/** Puts a built function into an execution environment; it is initialised by the first invocation. */
export async function startLambdaRuntime(options: LambdaRuntimeOptions): Promise<LambdaRuntime> {
  const emulator = await runtimeInterfaceEmulator();
  const client = await runtimeInterfaceClient();
  const node = await nodeBinary(options.node);
  // Without an address of its own for the second, all emulators would share its default port.
  const address = `127.0.0.1:${await freePort()}`;
  const runtimeApi = `127.0.0.1:${await freePort()}`;
  const child = await startChild({
    name: `Lambda runtime of ${options.functionName}`,
    command: emulator,
    args: [
      '--runtime-interface-emulator-address',
      address,
      '--runtime-api-address',
      runtimeApi,
      node,
      client,
      options.handler,
    ],
    cwd: options.folder,
    env: lambdaEnvironment(options),
    // Any answer will do, and this path is no invocation.
    isReady: async () =>
      (await fetch(`http://${address}/`, { signal: AbortSignal.timeout(1_000) })).status === 404,
  });

  let previous: Promise<unknown> = Promise.resolve();
  const timeoutMs = options.timeoutSeconds * 1_000 + INIT_ALLOWANCE_MS;
  const signalFunction = (signal: 'SIGSTOP' | 'SIGCONT'): void => {
    if (options.freezes === true) signalChildren(child.pid, node, signal);
  };

  async function invokeAlone(event: unknown): Promise<unknown> {
    signalFunction('SIGCONT');
    try {
      return await send(`http://${address}${INVOCATIONS}`, event, timeoutMs);
    } finally {
      signalFunction('SIGSTOP');
    }
  }

  return {
    invoke(event) {
      const invocation = previous.then(() => invokeAlone(event));
      previous = invocation.catch(() => undefined);
      return invocation;
    },
    lastOutput: () => child.lastOutput(),
    stop() {
      signalFunction('SIGCONT');
      return child.stop();
    },
  };
}

/** Signals the children of a process, whichever of its threads started them, that run this program. */
function signalChildren(parent: number, program: string, signal: NodeJS.Signals): void {
  for (const thread of unlessGone(() => readdirSync(`/proc/${parent}/task`)) ?? []) {
    const children = unlessGone(() => readFileSync(`/proc/${parent}/task/${thread}/children`, 'utf8')) ?? '';
    for (const pid of children.split(' ').filter((pid) => pid !== '')) {
      const commandLine = unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';
      if (commandLine.startsWith(`${program}\0`)) unlessGone(() => process.kill(Number(pid), signal));
    }
  }
}

/** Processes end while one looks at them. */
function unlessGone<Answer>(look: () => Answer): Answer | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function lambdaEnvironment(options: LambdaRuntimeOptions): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${options.node}.x`,
    AWS_LAMBDA_FUNCTION_NAME: options.functionName,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
    AWS_LAMBDA_FUNCTION_TIMEOUT: String(options.timeoutSeconds),
    LAMBDA_TASK_ROOT: options.folder,
    ...options.environment,
  };
}

async function send(url: string, event: unknown, timeoutMs: number): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(event),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  // The emulator has no header for a function error and answers 200 to most of them.
  if (/^Task timed out after [\d.]+ seconds$/.test(text))
    throw new LambdaInvocationError('Sandbox.Timedout', text);
  const answer: unknown = text === '' ? undefined : JSON.parse(text);
  if (isErrorAnswer(answer)) throw new LambdaInvocationError(answer.errorType, answer.errorMessage);
  if (!response.ok) throw new LambdaInvocationError('Runtime.Unknown', `${response.status} ${text}`);
  return answer;
}

function isErrorAnswer(answer: unknown): answer is { errorType: string; errorMessage: string } {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    typeof (answer as { errorType?: unknown }).errorType === 'string' &&
    typeof (answer as { errorMessage?: unknown }).errorMessage === 'string'
  );
}
