/**
 * A program: polls a queue of orders and charges them, until it is killed or its parent is gone. After some
 * orders it only holds on to the others and tells its parent how many it holds.
 */
import '../../packages/cli/src/dev/emulators/quiet-sdk.ts';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createBatchProcessor, payloadHash } from 'batchlatch';
import { chargeOrder } from '../../examples/orders/charge-order.ts';
import type { Order } from '../../examples/orders/order.ts';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { pollQueue } from './poll-queue.ts';

/** The program's only argument, as JSON. */
export interface PollingWorkerSetup {
  readonly name: string;
  readonly sqsEndpoint: string;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly leaseMs: number;
  /** Orders that it charges before it holds on to the others; by default it charges all. */
  readonly chargesAtMost?: number;
}

/** What the program tells its parent. */
export interface PollingWorkerMessage {
  readonly holding: number;
}

process.on('disconnect', () => process.exit());

const setup = JSON.parse(process.argv[2] ?? '') as PollingWorkerSetup;
let started = 0;
let holding = 0;

const handler = createBatchProcessor<Order>(
  ({ body }, { signal }) => {
    started += 1;
    return started > (setup.chargesAtMost ?? Infinity) ? hold() : chargeOrder(body, signal);
  },
  { key: payloadHash({ include: ['orderId'] }), namespace: 'orders', leaseMs: setup.leaseMs },
);

function hold(): Promise<never> {
  holding += 1;
  process.send?.({ holding } satisfies PollingWorkerMessage);
  return new Promise(() => undefined);
}

pollQueue({
  sqs: new SQSClient({ ...emulatorClientConfig, endpoint: setup.sqsEndpoint }),
  queueUrl: setup.queueUrl,
  queueArn: setup.queueArn,
  functionName: setup.name,
  handler,
});
