import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { Cleanup } from '../../src/dev/emulators/cleanup.ts';
import type { DemoDisplay } from './demo-display.ts';
import { prepareSqs } from './demo-services.ts';
import type { DemoStore, DemoStoreSetup, StoreName } from './demo-store.ts';
import { dynamoDBDemo } from './dynamodb-demo.ts';
import { startEventSourceMapping } from '../emulators/event-source-mapping.ts';
import { createSandboxPool, type SandboxPool } from '../emulators/sandbox-pool.ts';
import { sandboxKiller } from './kill-sandbox.ts';
import { makeOrderMessages } from './order-messages.ts';
import { type OrdersQueues, ordersTemplate } from './orders-stack.ts';
import { sendOrders } from './send-orders.ts';
import { postgresDemo } from './postgres-demo.ts';
import { redisDemo } from './redis-demo.ts';
import { readDepth, readMessageIds } from './stored-orders.ts';
import type { Remains, SentMessage } from './summary.ts';

export interface DemoOptions {
  readonly messages: number;
  readonly seed: number;
  /** Sandboxes, and batches in flight. */
  readonly concurrency: number;
  /** An emulator that is running already. Default: one of its own. */
  readonly dynamodbEndpoint: string | undefined;
  /** A PostgreSQL that is running already, by its URL. Default: one of its own. */
  readonly postgresUrl: string | undefined;
  /** A Redis that is running already, by its URL. Default: one of its own. */
  readonly redisUrl: string | undefined;
  readonly store: StoreName;
  /** Shows the library's log lines. */
  readonly verbose: boolean;
}

/** What was sent, and the results. */
export interface DemoResult {
  readonly sent: readonly SentMessage[];
  readonly remains: Remains;
}

/**
 * The template's times, shortened. The lease is the function's time and a second more, as it is on AWS, so
 * a claim outlives two visibility timeouts here: its order is taken over at the fourth of five receives.
 */
const VISIBILITY_TIMEOUT_SECONDS = 1;
const FUNCTION_TIMEOUT_MS = 1_800;

interface Times {
  readonly visibilityTimeoutSeconds: number;
  readonly functionTimeoutMs: number;
}

/** Longer ones keep the same proportions: a lease is the function's time and a second more. */
function timesOf({ slowness = 1 }: DemoStore): Times {
  return {
    visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS * slowness,
    functionTimeoutMs: (FUNCTION_TIMEOUT_MS + 1_000) * slowness - 1_000,
  };
}

const PROGRESS_EVERY_MS = 50;

/** What stays in the queue for longer than this is left over. */
const longestRunMs = (messages: number): number => 60_000 + 50 * messages;

/** Runs a function on a queue of orders. Everything it starts is stopped when it ends, aborts included. */
export async function runDemo(
  options: DemoOptions,
  display: DemoDisplay,
  signal: AbortSignal,
): Promise<DemoResult> {
  const cleanup = new Cleanup();
  try {
    return await run(options, display, signal, cleanup);
  } finally {
    display.endProgress();
    await cleanup.run();
  }
}

async function run(
  options: DemoOptions,
  display: DemoDisplay,
  signal: AbortSignal,
  cleanup: Cleanup,
): Promise<DemoResult> {
  const { concurrency, store: storeName } = options;
  const hasTransactions = storeName === 'postgres';
  const messages = makeOrderMessages(options.messages, options.seed, { hasTransactions });
  let sent: readonly SentMessage[] = [];
  let pool: SandboxPool | undefined;
  const messageOf = (orderId: string): string =>
    sent.find((message) => message.orderId === orderId)?.messageId ?? '';
  const killedAfterCharge: string[] = [];
  const trouble = sandboxKiller({
    running: (orderId) => pool?.running(messageOf(orderId)),
    readClaims: () => store.readRunningClaims(),
    // The emulator of PostgreSQL does one thing at a time.
    ...(hasTransactions && { checkEveryMs: 50 }),
    onKill(orderId, when) {
      if (when.startsWith('after')) killedAfterCharge.push(orderId);
      display.line(`  ${orderId} kills its process ${when}; its batch comes again`);
    },
  });
  const logLevel = options.verbose ? 'info' : 'silent';
  const store = await openStore(options, { messages, logLevel, cleanup, trouble });
  const times = timesOf(store);
  describeRun(options, store, times, display);
  signal.throwIfAborted();
  const sandboxes = createSandboxPool(concurrency, store.sandbox);
  pool = sandboxes;
  cleanup.defer(() => sandboxes.stop());

  const { sqs, queues, sqsEndpoint } = await prepareSqs(times.visibilityTimeoutSeconds, cleanup);
  signal.throwIfAborted();
  const { batchSize, maxReceiveCount } = ordersTemplate;
  describePart(display, 'SQS', `fauxqs, ${sqsEndpoint}, dead-letter queue after ${maxReceiveCount} receives`);
  display.line();
  [sent] = await Promise.all([sendOrders(sqs, queues.queueUrl, messages), sandboxes.ready]);
  signal.throwIfAborted();

  const mapping = startEventSourceMapping({
    sqs,
    ...queues,
    batchSize,
    concurrency,
    functionName: 'OrdersFunction',
    timeoutMs: times.functionTimeoutMs,
    invoke: (event, context) => sandboxes.invoke(event, context),
  });
  cleanup.defer(() => mapping.stop());
  await untilEmpty(sqs, queues, sent.length, display, signal);
  display.endProgress();
  await mapping.stop();

  return {
    sent,
    remains: {
      store: storeName,
      chargedOrders: await store.readChargedOrders(),
      claims: await store.readClaims(),
      leftOver: await readMessageIds(sqs, queues.queueUrl),
      deadLettered: await readMessageIds(sqs, queues.deadLetterQueueUrl),
      claimRequests: store.claimRequests(),
      deliveredRecords: mapping.delivered,
      ...(hasTransactions && { killedAfterCharge }),
    },
  };
}

function openStore(options: DemoOptions, setup: DemoStoreSetup): Promise<DemoStore> {
  switch (options.store) {
    case 'dynamodb':
      return dynamoDBDemo(options.dynamodbEndpoint, setup);
    case 'postgres':
      return postgresDemo(options.postgresUrl, setup);
    case 'redis':
      return redisDemo(options.redisUrl, setup);
  }
}

function describeRun(
  { messages, concurrency }: DemoOptions,
  { label, description, sandbox }: DemoStore,
  times: Times,
  display: DemoDisplay,
): void {
  const { batchSize, queue, functionTimeoutMs } = ordersTemplate;
  display.line(
    `${display.paint('bold', `${messages} messages`)} for ${path.relative('.', fileURLToPath(sandbox.handlerModule))} in ${concurrency} processes, batches of ${batchSize}`,
  );
  describePart(
    display,
    'shortened',
    `visibility timeout ${queue.VisibilityTimeout} s to ${times.visibilityTimeoutSeconds} s, ` +
      `function timeout ${functionTimeoutMs / 1_000} s to ${times.functionTimeoutMs / 1_000} s`,
  );
  describePart(display, label, description);
}

function describePart(display: DemoDisplay, name: string, what: string): void {
  display.line(`  ${display.paint('dim', name.padEnd(11))}${what}`);
}

/** Resolves when the queue holds nothing any more, or has held something for too long. */
async function untilEmpty(
  sqs: SQSClient,
  { queueUrl, deadLetterQueueUrl }: OrdersQueues,
  total: number,
  display: DemoDisplay,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + longestRunMs(total);
  while (performance.now() < deadline) {
    const { visible, inFlight } = await readDepth(sqs, queueUrl);
    const { visible: deadLettered } = await readDepth(sqs, deadLetterQueueUrl);
    const remaining = visible + inFlight;
    display.progress({ total, done: total - remaining, inFlight, deadLettered });
    if (remaining === 0) return;
    await delay(PROGRESS_EVERY_MS, undefined, { signal });
  }
}
