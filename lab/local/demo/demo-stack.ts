import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as esbuild from 'esbuild';
import { shownLine } from '../../../packages/cli/src/cli/dev/function-lines.ts';
import type { DisposeStack } from '../../../packages/cli/src/dev/emulators/dispose-stack.ts';
import { emulatorClientConfig } from '../../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { BuildFailedError } from '../../../packages/cli/src/dev/functions/function-build.ts';
import type { Places } from '../../../packages/cli/src/dev/places.ts';
import type { DevEvent, OnDevEvent } from '../../../packages/cli/src/dev/report/dev-event.ts';
import { type RunningStack, runStack } from '../../../packages/cli/src/dev/run-stack.ts';
import type { DevFunction, DevTable } from '../../../packages/cli/src/dev/stack.ts';
import { type OrdersStack, stackOf } from './orders-stack.ts';

export interface DemoStackOptions {
  readonly orders: OrdersStack;
  /** The tables that are to be made. */
  readonly tables: readonly DevTable[];
  /** Those that the stack was read with. */
  readonly places: Places;
  /** Whether the library logs. */
  readonly isVerbose: boolean;
  readonly onEvent: OnDevEvent;
  /** Stops it. */
  readonly cleanup: DisposeStack;
}

/** The stack, as `batchlatch dev` runs it. */
export interface DemoStack extends RunningStack {
  readonly sqs: SQSClient;
  /** Starts as many processes as run at a time: messages do not wait for them in their first receive. */
  warmUp(): Promise<void>;
}

/** A busy machine may take this long to carry an answer that was given in time. */
const GRACE_MS = 2_000;

/** Starts the services of the stack and its function. What the function prints goes to standard error: results have the other. */
export async function startDemoStack(options: DemoStackOptions): Promise<DemoStack> {
  const { orders, tables, places, isVerbose, onEvent, cleanup } = options;
  const fn = withLog(orders.fn, isVerbose ? 'info' : 'silent');
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'batchlatch-')));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const sqs = new SQSClient({ ...emulatorClientConfig, endpoint: places.sqs });
  cleanup.defer(() => sqs.destroy());
  const failures: Error[] = [];
  const running = await runStack({
    stack: stackOf({ ...orders, fn }, tables),
    places,
    esbuild,
    folder,
    reloads: false,
    graceMs: GRACE_MS,
    onEvent(event) {
      if (event.type === 'buildFailed') failures.push(new BuildFailedError(fn, event.messages));
      show(event);
      onEvent(event);
    },
  });
  cleanup.defer(() => running.stop());
  if (failures[0] !== undefined) throw failures[0];

  const invokeWithNothing = async (): Promise<void> => {
    const result = await running.functions.invoke(fn.id, { Records: [] });
    if (!result.ok) throw new Error(`The function does not run: ${result.errorType}: ${result.errorMessage}`);
  };
  const { maximumConcurrency = 1 } = orders.trigger;
  return {
    ...running,
    sqs,
    async warmUp() {
      await Promise.all(Array.from({ length: maximumConcurrency }, invokeWithNothing));
    },
  };
}

/** How claims are written is said at the top, and not once per process. */
function withLog(fn: DevFunction, level: 'info' | 'silent'): DevFunction {
  const { NODE_OPTIONS: nodeOptions = '' } = fn.environment;
  return {
    ...fn,
    environment: {
      ...fn.environment,
      BATCHLATCH_LOG_LEVEL: level,
      NODE_OPTIONS: `${nodeOptions} --disable-warning=BATCHLATCH_SINGLE_WRITES`.trim(),
    },
  };
}

function show(event: DevEvent): void {
  if (event.type === 'printed' && !isMetrics(event.line.text)) console.error(shownLine(event.line.text));
  if (event.type === 'trouble') console.error(`${event.what} does not answer: ${String(event.error)}`);
}

/** In CloudWatch's embedded format; on AWS they are no lines of a log either. */
function isMetrics(text: string): boolean {
  return text.startsWith('{"_aws":');
}
