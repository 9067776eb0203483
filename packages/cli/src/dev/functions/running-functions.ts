import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Invoke } from '../invoke-result.ts';
import type { OnDevEvent } from '../report/dev-event.ts';
import type { DevFunction } from '../stack.ts';
import type { FunctionCode } from './execution-environment.ts';
import { type Esbuild, watchFunction } from './function-build.ts';
import { functionArn, functionEnvironment } from './function-environment.ts';
import { createFunctionPool, type FunctionPool } from './function-pool.ts';
import { functionProgram } from './function-program.ts';
import { resultOf } from './ipc-messages.ts';

export interface RunningFunctionsOptions {
  readonly functions: readonly DevFunction[];
  readonly esbuild: Esbuild;
  /** The folder for builds. The caller removes it. */
  readonly folder: string;
  readonly region: string;
  /** Whether to rebuild changed sources. Default: true. */
  readonly reloads?: boolean;
  /** How late an answer may be, in milliseconds. Default: 0. */
  readonly graceMs?: number;
  /** The debugger ports, by function id. Default: none. */
  readonly inspectPorts?: ReadonlyMap<string, number> | undefined;
  readonly onEvent: OnDevEvent;
}

export interface RunningFunctions {
  /** Invokes a function; waits for its first successful build. */
  readonly invoke: Invoke;
  /** Resolves after the function's first successful build, which may take until its errors are corrected. */
  built(functionId: string): Promise<void>;
  /** Kills the process of an invocation; returns whether there was one. */
  kill(requestId: string): boolean;
  /** Kills every process. */
  stop(): Promise<void>;
}

interface OneFunction {
  /** Resolves after the first build, successful or not. */
  readonly tried: Promise<void>;
  readonly built: Promise<FunctionPool>;
  kill(requestId: string): boolean;
  stop(): Promise<void>;
}

/** Builds, rebuilds and runs the functions. Resolves after each first build, successful or not. */
export async function runFunctions(options: RunningFunctionsOptions): Promise<RunningFunctions> {
  const { functions, esbuild, folder, onEvent } = options;
  const program = await functionProgram(() => esbuild, folder);
  const running = new Map<string, OneFunction>();
  const stop = async (): Promise<void> => {
    await Promise.all([...running.values()].map((one) => one.stop()));
  };
  try {
    for (const fn of functions) running.set(fn.id, await runFunction(fn, program, options));
  } catch (error) {
    // Watching builds would keep this process alive, and write into the folder.
    await stop();
    throw error;
  }
  await Promise.all([...running.values()].map(({ tried }) => tried));

  async function poolOf(functionId: string): Promise<FunctionPool> {
    const found = running.get(functionId);
    if (found === undefined) throw new RangeError(`The function ${functionId} does not run here`);
    return found.built;
  }

  return {
    async invoke(functionId, event, requestId = randomUUID()) {
      const pool = await poolOf(functionId);
      onEvent({ type: 'invoking', functionId, requestId, event });
      const invocation = await pool.invoke(JSON.stringify(event), requestId);
      onEvent({ type: 'invoked', functionId, invocation });
      return resultOf(invocation.end);
    },
    async built(functionId) {
      await poolOf(functionId);
    },
    kill: (requestId) => [...running.values()].some((one) => one.kill(requestId)),
    stop,
  };
}

/**
 * The timeout that a function's context counts down from while a debugger may stop it: Lambda's longest.
 * Leases end with it, so that the claims of a killed process become free.
 */
const INSPECTED_TIMEOUT_MS = 900_000;

async function runFunction(
  fn: DevFunction,
  program: string,
  { esbuild, folder, region, reloads = true, graceMs, inspectPorts, onEvent }: RunningFunctionsOptions,
): Promise<OneFunction> {
  let pool: FunctionPool | undefined;
  let onPool: (pool: FunctionPool) => void = () => undefined;
  const built = new Promise<FunctionPool>((resolve) => {
    onPool = resolve;
  });

  let onTried: () => void = () => undefined;
  const tried = new Promise<void>((resolve) => {
    onTried = resolve;
  });

  const inspectPort = inspectPorts?.get(fn.id);
  const makePool = (code: FunctionCode): FunctionPool =>
    createFunctionPool(code, {
      program,
      name: fn.id,
      environment: functionEnvironment(fn, { region, taskRoot: code.taskRoot }),
      memoryMb: fn.memoryMb,
      timeoutMs: inspectPort === undefined ? fn.timeoutMs : INSPECTED_TIMEOUT_MS,
      inspectPort,
      graceMs,
      functionArn: functionArn(fn, region),
      reservedConcurrency: fn.reservedConcurrency,
      onLine: (line) => onEvent({ type: 'printed', functionId: fn.id, line }),
    });

  const watching = await watchFunction({
    esbuild,
    fn,
    folder: path.join(folder, fn.id),
    onBuilt(code) {
      onEvent({ type: 'built', functionId: fn.id, isFirst: pool === undefined });
      onTried();
      if (pool !== undefined) return pool.replace(code);
      pool = makePool(code);
      onPool(pool);
      // Without reloads, one build is enough.
      if (!reloads) queueMicrotask(() => void watching.stop());
    },
    onFailed(messages) {
      onEvent({ type: 'buildFailed', functionId: fn.id, messages });
      onTried();
    },
  });

  return {
    tried,
    built,
    kill: (requestId) => pool?.kill(requestId) ?? false,
    async stop() {
      await watching.stop();
      await pool?.close();
    },
  };
}
