import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { startDynamoDBProxy } from '../../local/emulators/dynamodb-proxy.ts';
import { makeOrderMessages } from '../../local/demo/order-messages.ts';
import { RunningOrders } from '../../local/demo/running-orders.ts';
import { readChargedOrders, readClaims, readDepth, readMessageIds } from '../../local/demo/stored-orders.ts';
import type { Remains, SentMessage } from '../../local/demo/summary.ts';
import { processKiller } from '../../local/demo/kill-process.ts';
import { troubledCharges } from '../../local/demo/troubled-charges.ts';
import { startSqsMapping } from '../../../packages/cli/src/dev/mappings/sqs-mapping.ts';
import { sdkQueue } from '../../../packages/cli/src/dev/mappings/sqs-sdk-queue.ts';
import { createOrdersTables } from '../../../test/support/orders-stack.ts';
import { startFunction } from '../../../test/support/started-function.ts';
import { createQueue } from './create-queue.ts';
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

const VISIBILITY_TIMEOUT_SECONDS = 3;
/** A lease lasts as long and a second more, so a dead attempt is taken over at the third receive, and busy machines have two more. */
const FUNCTION_TIMEOUT_MS = 4_000;
const PROCESSES = 2;
const MAX_RECEIVES = 5;

/**
 * The end-to-end job: the example's function, in processes of its own, on a queue of orders, some of them sent
 * twice, some malformed, one that always fails, one that fails twice and one that kills its process.
 */
export async function runOrdersJob(options: OrdersJobOptions): Promise<OrdersJob> {
  const { sqs, dynamoDB } = options;
  const messages = makeOrderMessages(options.messages, 1);
  const tables = await createOrdersTables(dynamoDB, randomUUID());
  const queues = await createQueue(sqs, {
    visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
    maxReceiveCount: MAX_RECEIVES,
  });
  const running = new RunningOrders();

  let claimRequests = 0;
  const trouble = troubledCharges({
    messages,
    chargesTable: tables.charges,
    trouble: processKiller({
      requestOf: (orderId) => running.requestOf(orderId),
      kill: (requestId) => void orders.killRequest(requestId),
      readClaims: () => readClaims(dynamoDB, tables.claims),
      onKill: () => undefined,
    }),
  });
  const proxy = await startDynamoDBProxy(options.dynamoDBEndpoint, (call) => {
    if (call.body.includes(tables.claims)) claimRequests += 1;
    return trouble(call);
  });
  const orders = await startFunction({
    module: new URL('../../../examples/orders/orders-queue.ts', import.meta.url),
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
      CLAIMS_TABLE_NAME: tables.claims,
      CHARGES_TABLE_NAME: tables.charges,
      BATCHLATCH_LOG_LEVEL: 'silent',
    },
    name: 'OrdersFunction',
    timeoutMs: FUNCTION_TIMEOUT_MS,
    onEvent: (event) => running.note(event),
  });
  // Messages do not wait for the processes in their first receive.
  await Promise.all(Array.from({ length: PROCESSES }, () => orders.invoke({ Records: [] })));
  const ids = await sendMessages(sqs, queues.queueUrl, messages);
  const sent = messages.map(({ orderId, peculiarity }, index) => ({
    messageId: ids[index] ?? '',
    orderId,
    peculiarity,
  }));
  const mapping = startSqsMapping({
    queue: sdkQueue(sqs, queues.queueUrl),
    queueArn: queues.queueArn,
    maximumConcurrency: PROCESSES,
    reportsBatchItemFailures: true,
    invoke: (event) => orders.invoke(event),
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
    await orders.stop();
    await mapping.stop();
    await proxy.stop();
  }
}
