import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { startDynamoDBProxy } from '../../../local/emulators/dynamodb-proxy.ts';
import { emulatorEnvironment } from '../../../src/dev/emulators/emulator-environment.ts';
import { startEventSourceMapping } from '../../../local/emulators/event-source-mapping.ts';
import { makeOrderMessages } from '../../../local/demo/order-messages.ts';
import { createOrdersQueues, createOrdersTables } from '../../../local/demo/orders-stack.ts';
import { createSandboxPool } from '../../../local/emulators/sandbox-pool.ts';
import {
  readChargedOrders,
  readClaims,
  readDepth,
  readMessageIds,
} from '../../../local/demo/stored-orders.ts';
import type { Remains, SentMessage } from '../../../local/demo/summary.ts';
import { sandboxKiller } from '../../../local/demo/kill-sandbox.ts';
import { troubledCharges } from '../../../local/demo/troubled-charges.ts';
import { sendMessages } from './send-messages.ts';
import { until } from './until.ts';

export interface OrdersJobOptions {
  readonly sqs: SQSClient;
  readonly dynamoDB: DynamoDBClient;
  readonly dynamoDBEndpoint: string;
  readonly messages: number;
}

export interface OrdersJob {
  readonly sent: readonly SentMessage[];
  readonly remains: Remains;
}

const VISIBILITY_TIMEOUT_SECONDS = 1;
/** A lease lasts as long and a second more, so a dead attempt is taken over before the fifth receive. */
const FUNCTION_TIMEOUT_MS = 1_500;
const PROCESSES = 2;

/**
 * The end-to-end job: the example's function, in processes of its own, on a queue of orders, some of them sent
 * twice, some malformed, one that always fails, one that fails twice and one that kills its process.
 */
export async function runOrdersJob(options: OrdersJobOptions): Promise<OrdersJob> {
  const { sqs, dynamoDB } = options;
  const messages = makeOrderMessages(options.messages, 1);
  const tables = await createOrdersTables(dynamoDB, randomUUID());
  const queues = await createOrdersQueues(sqs, VISIBILITY_TIMEOUT_SECONDS);

  let claimRequests = 0;
  const messageOf = (orderId: string): string =>
    sent.find((message) => message.orderId === orderId)?.messageId ?? '';
  const trouble = troubledCharges({
    messages,
    chargesTable: tables.charges,
    trouble: sandboxKiller({
      running: (orderId) => pool.running(messageOf(orderId)),
      readClaims: () => readClaims(dynamoDB, tables.claims),
      onKill: () => undefined,
    }),
  });
  const proxy = await startDynamoDBProxy(options.dynamoDBEndpoint, (call) => {
    if (call.body.includes(tables.claims)) claimRequests += 1;
    return trouble(call);
  });
  const pool = createSandboxPool(PROCESSES, {
    handlerModule: new URL('../../../examples/orders/orders-queue.ts', import.meta.url),
    env: {
      ...emulatorEnvironment,
      AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
      AWS_LAMBDA_FUNCTION_NAME: 'OrdersFunction',
      CLAIMS_TABLE_NAME: tables.claims,
      CHARGES_TABLE_NAME: tables.charges,
      BATCHLATCH_LOG_LEVEL: 'silent',
    },
  });
  await pool.ready;
  const ids = await sendMessages(sqs, queues.queueUrl, messages);
  const sent = messages.map(({ orderId, peculiarity }, index) => ({
    messageId: ids[index] ?? '',
    orderId,
    peculiarity,
  }));
  const mapping = startEventSourceMapping({
    sqs,
    ...queues,
    concurrency: PROCESSES,
    functionName: 'OrdersFunction',
    timeoutMs: FUNCTION_TIMEOUT_MS,
    invoke: (event, context) => pool.invoke(event, context),
  });
  try {
    await until('the queue is empty', async () => {
      const { visible, inFlight } = await readDepth(sqs, queues.queueUrl);
      return visible + inFlight === 0;
    });
    await mapping.stop();
    return {
      sent,
      remains: {
        store: 'dynamodb',
        chargedOrders: await readChargedOrders(dynamoDB, tables.charges),
        claims: await readClaims(dynamoDB, tables.claims),
        leftOver: await readMessageIds(sqs, queues.queueUrl),
        deadLettered: await readMessageIds(sqs, queues.deadLetterQueueUrl),
        claimRequests,
        deliveredRecords: mapping.delivered,
      },
    };
  } finally {
    await pool.stop();
    await mapping.stop();
    await proxy.stop();
  }
}
