import { setTimeout as delay } from 'node:timers/promises';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { Cleanup } from '../emulators/cleanup.ts';
import type { DemoDisplay } from './demo-display.ts';
import { prepareDynamoDB, prepareSqs, startFunction } from './demo-services.ts';
import { startDynamoDBProxy } from '../emulators/dynamodb-proxy.ts';
import { startEventSourceMapping } from '../emulators/event-source-mapping.ts';
import { killWhenOthersAreSettled } from './kill-sandbox.ts';
import { makeOrderMessages } from './order-messages.ts';
import { type OrdersQueues, ordersTemplate } from './orders-stack.ts';
import { sendOrders } from './send-orders.ts';
import { readChargedOrders, readClaims, readDepth, readMessageIds } from './stored-orders.ts';
import type { Remains, SentMessage } from './summary.ts';
import { troubledCharges } from './troubled-charges.ts';

export interface DemoOptions {
  readonly messages: number;
  readonly seed: number;
  /** Sandboxes, and batches in flight. */
  readonly concurrency: number;
  /** An emulator that is running already. Default: one of its own. */
  readonly dynamodbEndpoint: string | undefined;
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
const PROGRESS_EVERY_MS = 50;

/** What stays in the queue for longer than this is left over. */
const longestRunMs = (messages: number): number => 60_000 + 50 * messages;

/** Runs the example's function on a queue of orders. Everything it starts is stopped when it ends, aborts included. */
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
  const messages = makeOrderMessages(options.messages, options.seed);
  describeRun(options, display);
  const { dynamoDB, endpoint, name, tables } = await prepareDynamoDB(options.dynamodbEndpoint, cleanup);
  const writes = tables.knowsPartiQL ? 'claims written in batches' : 'claims written one by one';
  describePart(display, 'DynamoDB', `${name}${endpoint}, ${writes}`);
  signal.throwIfAborted();

  let claimRequests = 0;
  const trouble = troubledCharges({ messages, chargesTable: tables.charges, kill });
  const proxy = await startDynamoDBProxy(endpoint, (call) => {
    if (call.body.includes(tables.claims)) claimRequests += 1;
    return trouble(call);
  });
  cleanup.defer(() => proxy.stop());
  const pool = startFunction(
    options.concurrency,
    options.verbose ? 'info' : 'silent',
    tables,
    proxy.endpoint,
  );
  cleanup.defer(() => pool.stop());

  const { sqs, queues, sqsEndpoint } = await prepareSqs(VISIBILITY_TIMEOUT_SECONDS, cleanup);
  signal.throwIfAborted();
  const { batchSize, maxReceiveCount } = ordersTemplate;
  describePart(display, 'SQS', `fauxqs, ${sqsEndpoint}, dead-letter queue after ${maxReceiveCount} receives`);
  display.line();
  const [sent] = await Promise.all([sendOrders(sqs, queues.queueUrl, messages), pool.ready]);
  signal.throwIfAborted();

  const mapping = startEventSourceMapping({
    sqs,
    ...queues,
    batchSize,
    concurrency: options.concurrency,
    functionName: 'OrdersFunction',
    timeoutMs: FUNCTION_TIMEOUT_MS,
    invoke: (event, context) => pool.invoke(event, context),
  });
  cleanup.defer(() => mapping.stop());
  await untilEmpty(sqs, queues, sent.length, display, signal);
  display.endProgress();
  await mapping.stop();

  return {
    sent,
    remains: {
      chargedOrders: await readChargedOrders(dynamoDB, tables.charges),
      claims: await readClaims(dynamoDB, tables.claims),
      leftOver: await readMessageIds(sqs, queues.queueUrl),
      deadLettered: await readMessageIds(sqs, queues.deadLetterQueueUrl),
      claimRequests,
      deliveredRecords: mapping.delivered,
    },
  };

  function kill(orderId: string, caller: AbortSignal): Promise<void> {
    const messageId = sent.find((message) => message.orderId === orderId)?.messageId ?? '';
    const onKill = (): void =>
      display.line(`  ${orderId} kills its process before it is charged; its batch comes again`);
    return killWhenOthersAreSettled(
      {
        running: () => pool.running(messageId),
        readClaims: () => readClaims(dynamoDB, tables.claims),
        onKill,
      },
      caller,
    );
  }
}

function describeRun({ messages, concurrency }: DemoOptions, display: DemoDisplay): void {
  const { batchSize, queue, functionTimeoutMs } = ordersTemplate;
  display.line(
    `${display.paint('bold', `${messages} messages`)} for examples/orders/orders-queue.ts in ${concurrency} processes, batches of ${batchSize}`,
  );
  describePart(
    display,
    'shortened',
    `visibility timeout ${queue.VisibilityTimeout} s to ${VISIBILITY_TIMEOUT_SECONDS} s, ` +
      `function timeout ${functionTimeoutMs / 1_000} s to ${FUNCTION_TIMEOUT_MS / 1_000} s`,
  );
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
