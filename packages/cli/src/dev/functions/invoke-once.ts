import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DevFunction } from '../stack.ts';
import type { PrintedLine } from './execution-environment.ts';
import { buildFunction, codeAsItLies, type Esbuild } from './function-build.ts';
import { functionArn, functionEnvironment } from './function-environment.ts';
import { createFunctionPool } from './function-pool.ts';
import { functionProgram } from './function-program.ts';
import type { Invocation } from './ipc-messages.ts';

export interface InvokeOnceOptions {
  readonly fn: DevFunction;
  readonly region: string;
  readonly requestId: string;
  /** The event, as JSON. */
  readonly payload: string;
  /** Called only if the function needs a build. */
  readonly loadEsbuild: () => Esbuild;
  readonly onStart: () => void;
  readonly onLine: (line: PrintedLine) => void;
  /** Kills the invocation's process. */
  readonly signal: AbortSignal;
}

/** Builds a function, runs it once, and removes the build. Throws a `BuildFailedError` if the build fails. */
export async function invokeOnce(options: InvokeOnceOptions): Promise<Invocation> {
  const { fn, region, signal } = options;
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'batchlatch-')));
  try {
    const code =
      codeAsItLies(fn) ??
      (await buildFunction({ esbuild: options.loadEsbuild(), fn, folder: path.join(folder, fn.id) }));
    const pool = createFunctionPool(code, {
      program: await functionProgram(options.loadEsbuild, folder),
      name: fn.id,
      environment: functionEnvironment(fn, { region, taskRoot: code.taskRoot }),
      memoryMb: fn.memoryMb,
      timeoutMs: fn.timeoutMs,
      functionArn: functionArn(fn, region),
      reservedConcurrency: undefined,
      onLine: options.onLine,
    });
    const close = (): void => void pool.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      options.onStart();
      return await pool.invoke(options.payload, options.requestId);
    } finally {
      signal.removeEventListener('abort', close);
      await pool.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
