import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { runFunctions } from '../../packages/cli/src/dev/functions/running-functions.ts';
import type { InvocationResult } from '../../packages/cli/src/dev/invoke-result.ts';
import { LOCAL_REGION } from '../../packages/cli/src/dev/places.ts';
import type { DevEvent } from '../../packages/cli/src/dev/report/dev-event.ts';
import { devFunction } from '../../packages/cli/test/dev/dev-function.ts';

export interface StartedFunctionOptions {
  /** The module whose export `handler` is the function. */
  readonly module: URL;
  readonly environment: Readonly<Record<string, string>>;
  /** Default 30,000. */
  readonly timeoutMs?: number;
  /** Default 512. */
  readonly memoryMb?: number;
  /** Default `orders`. */
  readonly name?: string;
  readonly onEvent?: (event: DevEvent) => void;
}

/** A function of this repository in processes of its own, as `batchlatch dev` runs it. */
export interface StartedFunction {
  /** Runs it in an idle process, else in a new one. Never rejects. */
  invoke(event: object): Promise<InvocationResult>;
  /** Ends the process that runs this event, as soon as it does. */
  kill(event: object, afterMs?: number): Promise<void>;
  /** The same by the id of an invocation. */
  killRequest(requestId: string): boolean;
  stop(): Promise<void>;
}

/** A busy machine may take this long to carry an answer that was given in time. */
const GRACE_MS = 2_000;
const CHECK_EVERY_MS = 2;

/** Builds a function. What it prints is dropped. */
export async function startFunction(options: StartedFunctionOptions): Promise<StartedFunction> {
  const { module, environment, timeoutMs = 30_000, memoryMb = 512, name = 'orders', onEvent } = options;
  const file = fileURLToPath(module);
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'started-function-')));
  const fn = devFunction({
    name,
    folder: path.dirname(file),
    entry: path.basename(file),
    environment,
    timeoutMs,
    memoryMb,
  });
  const requests = new Map<unknown, string>();
  let mistakes = '';
  const functions = await runFunctions({
    functions: [fn],
    esbuild,
    folder,
    region: LOCAL_REGION,
    reloads: false,
    graceMs: GRACE_MS,
    onEvent(event) {
      if (event.type === 'buildFailed') mistakes = JSON.stringify(event.messages);
      if (event.type === 'invoking') requests.set(event.event, event.requestId);
      onEvent?.(event);
    },
  });
  async function stop(): Promise<void> {
    await functions.stop();
    await rm(folder, { recursive: true, force: true });
  }
  if (mistakes !== '') {
    await stop();
    throw new Error(`${file} cannot be built: ${mistakes}`);
  }

  return {
    async invoke(event) {
      try {
        return await functions.invoke(fn.id, event);
      } finally {
        requests.delete(event);
      }
    },
    async kill(event, afterMs = 0) {
      await delay(afterMs);
      for (let id = requests.get(event); id !== undefined; id = requests.get(event)) {
        if (functions.kill(id)) return;
        await delay(CHECK_EVERY_MS);
      }
    },
    killRequest: (requestId) => functions.kill(requestId),
    stop,
  };
}

/** What an invocation answered; throws where it failed. */
export function payloadOf(result: InvocationResult): unknown {
  if (result.ok) return result.payload;
  throw Object.assign(new Error(result.errorMessage), { name: result.errorType });
}
