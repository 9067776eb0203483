import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { DisposeStack } from '../../../packages/cli/src/dev/emulators/dispose-stack.ts';
import { choosePlaces } from '../../../packages/cli/src/dev/places.ts';
import { buildPages, type DemoConsole, startDemoConsole } from './demo-console.ts';
import type { DemoDisplay } from './demo-display.ts';
import { type DemoStack, startDemoStack } from './demo-stack.ts';
import type { DemoStore, DemoStoreSetup, StoreName } from './demo-store.ts';
import { dynamoDBDemo } from './dynamodb-demo.ts';
import { processKiller } from './kill-process.ts';
import { makeOrderMessages, type OrderMessage } from './order-messages.ts';
import { maxReceiveCount, type OrdersStack, readOrdersStack, withSettings } from './orders-stack.ts';
import { sendOrders } from './send-orders.ts';
import { postgresDemo } from './postgres-demo.ts';
import { redisDemo } from './redis-demo.ts';
import { RunningOrders } from './running-orders.ts';
import { readDepth, readMessageIds } from './stored-orders.ts';
import type { Remains, SentMessage } from './summary.ts';

export interface DemoOptions {
  readonly messages: number;
  readonly seed: number;
  /** Processes, and batches in flight. */
  readonly concurrency: number;
  /** An emulator that is running already. Default: one of its own. */
  readonly dynamodbEndpoint: string | undefined;
  /** A PostgreSQL that is running already, by its URL. Default: one of its own. */
  readonly postgresUrl: string | undefined;
  /** A Redis that is running already, by its URL. Default: one of its own. */
  readonly redisUrl: string | undefined;
  readonly store: StoreName;
  /** Opens the console on it, and goes on with it after the run until it is stopped. */
  readonly console?: boolean;
  /** Messages in a second. Default: all at once; with the console 10. */
  readonly rate?: number;
  /** How many times longer the timeouts are. */
  readonly slowness: number;
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
function timesOf(options: DemoOptions, store: DemoStore): Times {
  const slowness = options.slowness * (store.slowness ?? 1);
  return {
    visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS * slowness,
    functionTimeoutMs: (FUNCTION_TIMEOUT_MS + 1_000) * slowness - 1_000,
  };
}

const PROGRESS_EVERY_MS = 50;

/** What stays in the queue for longer than this is left over. */
const longestRunMs = (messages: number, slowness: number): number => (60_000 + 50 * messages) * slowness;

const RATE_TO_WATCH = 10;

/**
 * Runs a function on a queue of orders, and tells `report` what became of them. Everything it starts is stopped when it ends, aborts
 * included; with the console it ends by an abort alone.
 */
export async function runDemo(
  options: DemoOptions,
  display: DemoDisplay,
  signal: AbortSignal,
  report: (result: DemoResult) => void,
): Promise<void> {
  const cleanup = new DisposeStack();
  try {
    await run(options, display, signal, report, cleanup);
  } finally {
    display.endProgress();
    await cleanup.run();
  }
}

async function run(
  options: DemoOptions,
  display: DemoDisplay,
  signal: AbortSignal,
  report: (result: DemoResult) => void,
  cleanup: DisposeStack,
): Promise<void> {
  const { store: storeName } = options;
  const pages = options.console === true ? buildPages(cleanup) : undefined;
  pages?.catch(() => undefined); // told where it is waited for
  let isOver = false;
  const hasTransactions = storeName === 'postgres';
  const messages = makeOrderMessages(options.messages, options.seed, { hasTransactions });
  const free = await choosePlaces();
  const places = { ...free, dynamodb: options.dynamodbEndpoint ?? free.dynamodb };
  const runningOrders = new RunningOrders();
  let stack: DemoStack | undefined;
  const killedAfterCharge: string[] = [];
  const trouble = processKiller({
    requestOf: (orderId) => runningOrders.requestOf(orderId),
    kill: (requestId) => void stack?.functions.kill(requestId),
    readClaims: () => store.readRunningClaims(),
    // The emulator of PostgreSQL does one thing at a time.
    ...(hasTransactions && { checkEveryMs: 50 }),
    onKill(orderId, when) {
      if (when.startsWith('after')) killedAfterCharge.push(orderId);
      display.line(`  ${orderId} kills its process ${when}; its batch comes again`);
    },
  });
  const orders = readOrdersStack(places, `orders-demo-${randomUUID().slice(0, 8)}`);
  const setup = { orders, places, messages, cleanup, trouble, isOver: () => isOver };
  const store = await openStore(options, setup);
  const times = timesOf(options, store);
  describeRun(options, orders, store, times, display);
  signal.throwIfAborted();

  stack = await startDemoStack({
    orders: withSettings({ ...orders, fn: store.fn }, { ...times, concurrency: options.concurrency }),
    tables: store.tables,
    places,
    isVerbose: options.verbose,
    onEvent: (event) => runningOrders.note(event),
    cleanup,
  });
  signal.throwIfAborted();
  describePart(display, store.label, await store.describe(stack.services.running));
  const receives = maxReceiveCount(orders);
  describePart(display, 'SQS', `fauxqs, ${places.sqs}, dead-letter queue after ${receives} receives`);
  let shown: DemoConsole | undefined;
  if (pages !== undefined) {
    const appFolder = await pages;
    shown = await startDemoConsole({ orders, store, sqsEndpoint: places.sqs, appFolder, cleanup });
    describePart(display, 'console', shown.url);
  }
  display.line();
  await stack.warmUp();
  signal.throwIfAborted();

  const { sqs } = stack;
  const rate = options.rate ?? (shown === undefined ? undefined : RATE_TO_WATCH);
  const { slowness } = options;
  const sent = await sendAll({ sqs, orders, messages, rate, slowness, display, signal });
  display.endProgress();
  if (shown === undefined) await stack.drain();

  report({
    sent,
    remains: {
      store: storeName,
      chargedOrders: await store.readChargedOrders(),
      claims: await store.readClaims(),
      leftOver: await readMessageIds(sqs, orders.queue.url),
      deadLettered: await readMessageIds(sqs, orders.deadLetterQueue.url),
      claimRequests: store.claimRequests(),
      deliveredRecords: runningOrders.delivered,
      ...(hasTransactions && { killedAfterCharge }),
    },
  });
  if (shown === undefined) return;
  isOver = true;
  display.line();
  if (shown.hasChanged()) display.line('What was changed in the console during the run is in these numbers.');
  display.line('No card is declined any more: send the dead letters back in the console. Ctrl-C ends it.');
  display.line(`  ${shown.url}`);
  if (!signal.aborted) await once(signal, 'abort');
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
  { fn: template, trigger, queue }: OrdersStack,
  { fn }: DemoStore,
  times: Times,
  display: DemoDisplay,
): void {
  const file = path.relative('.', path.join(fn.folder, fn.entry));
  display.line(
    `${display.paint('bold', `${messages} messages`)} for ${file} in ${concurrency} processes, batches of ${trigger.batchSize}`,
  );
  describePart(
    display,
    'shortened',
    `visibility timeout ${queue.attributes['VisibilityTimeout']} s to ${times.visibilityTimeoutSeconds} s, ` +
      `function timeout ${template.timeoutMs / 1_000} s to ${times.functionTimeoutMs / 1_000} s`,
  );
}

function describePart(display: DemoDisplay, name: string, what: string): void {
  display.line(`  ${display.paint('dim', name.padEnd(11))}${what}`);
}

interface Sending {
  readonly sqs: SQSClient;
  readonly orders: OrdersStack;
  readonly messages: readonly OrderMessage[];
  /** Messages in a second. */
  readonly rate: number | undefined;
  readonly slowness: number;
  readonly display: DemoDisplay;
  readonly signal: AbortSignal;
}

/** Sends all messages, and resolves when the queue holds nothing any more, or has held something for too long. */
async function sendAll(sending: Sending): Promise<readonly SentMessage[]> {
  const { sqs, orders, messages, rate, signal } = sending;
  const sent: SentMessage[] = [];
  const failing = new AbortController();
  const stop = AbortSignal.any([signal, failing.signal]);
  try {
    await Promise.all([
      sendOrders(sqs, orders.queue.url, messages, sent, { rate, signal: stop }),
      untilEmpty({ ...sending, signal: stop }, sent),
    ]);
  } finally {
    failing.abort(); // what is left of both
  }
  return sent;
}

async function untilEmpty(
  { sqs, orders: { queue, deadLetterQueue }, messages, rate, slowness, display, signal }: Sending,
  sent: readonly SentMessage[],
): Promise<void> {
  const total = messages.length;
  const sendingMs = rate === undefined ? 0 : (total / rate) * 1_000;
  const deadline = performance.now() + sendingMs + longestRunMs(total, slowness);
  while (performance.now() < deadline) {
    // Before the queue is asked: what is sent in between is counted there, and not nowhere.
    const unsent = total - sent.length;
    const { visible, inFlight } = await readDepth(sqs, queue.url);
    const { visible: deadLettered } = await readDepth(sqs, deadLetterQueue.url);
    const remaining = unsent + visible + inFlight;
    display.progress({ total, done: Math.max(0, total - remaining), inFlight, deadLettered });
    if (remaining === 0) return;
    await delay(PROGRESS_EVERY_MS, undefined, { signal });
  }
}
