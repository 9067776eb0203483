import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { SQS } from '@aws-sdk/client-sqs';
import { payloadHash } from 'batchlatch';
import { processorKey } from 'batchlatch/operations';
import { versionOfPackage } from '../../../packages/cli/src/cli/version.ts';
import { type RunningConsole, startConsole } from '../../../packages/cli/src/console/start-console.ts';
import type { DisposeStack } from '../../../packages/cli/src/dev/emulators/dispose-stack.ts';
import { emulatorClientConfig } from '../../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { DemoStore } from './demo-store.ts';
import type { OrdersStack } from './orders-stack.ts';

export interface DemoConsoleOptions {
  readonly orders: OrdersStack;
  readonly store: DemoStore;
  /** Where SQS answers. */
  readonly sqsEndpoint: string;
  /** The folder of the pages. */
  readonly appFolder: string;
  /** Stops it. */
  readonly cleanup: DisposeStack;
}

/** A console on the demo. */
export interface DemoConsole extends RunningConsole {
  /** Whether somebody has changed something in it: the counts of the run are not its own any more. */
  hasChanged(): boolean;
}

/** The emulator of PostgreSQL does one thing at a time: not all of them are to be the console's. */
const READ_EVERY_MS = 2_000;

/** Opens a console on the claims and the queues of the demo, in which they can be changed. */
export async function startDemoConsole(options: DemoConsoleOptions): Promise<DemoConsole> {
  const { orders, store, sqsEndpoint, appFolder, cleanup } = options;
  const { fn, queue, deadLetterQueue } = orders;
  const sqs = new SQS({ ...emulatorClientConfig, endpoint: sqsEndpoint });
  cleanup.defer(() => sqs.destroy());
  let isChanged = false;
  const running = await startConsole({
    store: store.claims,
    place: store.place,
    indexedStates: store.indexedStates,
    queues: [
      { url: queue.url, name: queue.name, isDeadLetter: false },
      { url: deadLetterQueue.url, name: deadLetterQueue.name, isDeadLetter: true },
    ],
    sqs,
    // As the function makes its keys.
    key: processorKey({ namespace: fn.name, key: payloadHash({ include: ['orderId'] }) }),
    operator: `${userInfo().username}@${hostname()}`.slice(0, 128),
    allowChanges: true,
    readEveryMs: READ_EVERY_MS,
    appFolder,
    version: versionOfPackage(),
    onAction: () => (isChanged = true),
  });
  cleanup.defer(() => running.stop());
  return { ...running, hasChanged: () => isChanged };
}

/** Builds the pages as they are in this checkout. */
export async function buildPages(cleanup: DisposeStack): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-console-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const { buildConsoleApp } = await import('../../../packages/cli/console-app/build.ts');
  await buildConsoleApp(folder);
  return folder;
}
