import type { StoreAndAdmin } from '../support/store-and-admin.ts';
import { SQS } from '@aws-sdk/client-sqs';
import { type BatchProcessorOptions, createBatchProcessor, PermanentError } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import type { DeadLetterSqs } from 'batchlatch/operations';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { failedItems } from '../../src/worker/failed-items.ts';
import { createQueue } from '../../lab/real/support/create-queue.ts';
import { receiveEvent } from '../support/poll-queue.ts';

export const WHO = { operator: 'ann', reason: 'fixed in 1.4' };
export const NAMESPACE = 'orders';

interface Order {
  readonly orderId: string;
}

export interface FailedOrders {
  readonly sqs: SQS;
  /** The same, without the second that a receive waits. */
  readonly hasty: DeadLetterSqs;
  readonly store: StoreAndAdmin;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly deadLetterUrl: string;
  /** The orders that were run, in order, those that failed included. */
  readonly runs: string[];
  /** Whether orders fail for good. At first they do. */
  isBroken: boolean;
  key(orderId: string): string;
  send(
    ...orders: readonly (Order & { readonly group?: string; readonly attributes?: Record<string, string> })[]
  ): Promise<void>;
  /** Delivers until the queue gives nothing more. */
  deliver(): Promise<void>;
  /** Sends orders and has them fail until they are in the dead-letter queue. */
  fail(...orderIds: readonly string[]): Promise<void>;
  /** How many messages a queue shows. */
  depth(queueUrl: string): Promise<number>;
  stop(): void;
}

export interface FailedOrdersOptions {
  readonly endpoint: string;
  readonly isFifo?: boolean;
  readonly options?: BatchProcessorOptions<Order>;
}

/** A queue of orders with a dead-letter queue, and a processor that parks orders while it is broken. */
export async function failedOrders({
  endpoint,
  isFifo = false,
  options,
}: FailedOrdersOptions): Promise<FailedOrders> {
  const sqs = new SQS({ ...emulatorClientConfig, endpoint });
  const store = memoryStore();
  const queue = await createQueue(sqs, { visibilityTimeoutSeconds: 0, maxReceiveCount: 1, isFifo });
  const runs: string[] = [];
  const process = createBatchProcessor<Order>(
    ({ body: { orderId } }) => {
      runs.push(orderId);
      if (orders.isBroken) throw new PermanentError('no such customer');
    },
    {
      store,
      key: Object.assign(({ body }: { body: Order }) => body.orderId, { effort: 'none' as const }),
      namespace: NAMESPACE,
      observer: { onEvent: () => undefined },
      sqs,
      ...options,
    },
  );

  async function receive(): Promise<number> {
    const event = await receiveEvent(sqs, queue);
    const { Records: records } = event;
    if (records.length === 0) return 0;
    const failed = failedItems(
      await process(event),
      records.map(({ messageId }) => messageId),
    );
    for (const { messageId, receiptHandle: ReceiptHandle } of records) {
      if (!failed.has(messageId)) await sqs.deleteMessage({ QueueUrl: queue.queueUrl, ReceiptHandle });
    }
    return records.length;
  }

  let sends = 0;
  const orders: FailedOrders = {
    sqs,
    hasty: hasty(sqs),
    store,
    queueUrl: queue.queueUrl,
    queueArn: queue.queueArn,
    deadLetterUrl: queue.deadLetterQueueUrl,
    runs,
    isBroken: true,
    key: (orderId) => `${NAMESPACE}#v1:${orderId}`,
    async send(...sent) {
      for (const { orderId, group, attributes = {} } of sent) {
        sends += 1;
        await sqs.sendMessage({
          QueueUrl: queue.queueUrl,
          MessageBody: JSON.stringify({ orderId }),
          MessageAttributes: Object.fromEntries(
            Object.entries(attributes).map(([name, StringValue]) => [
              name,
              { DataType: 'String', StringValue },
            ]),
          ),
          ...(isFifo && { MessageGroupId: group ?? orderId, MessageDeduplicationId: String(sends) }),
        });
      }
    },
    async deliver() {
      // A second empty answer: what had its last receive moves to the dead-letter queue during the first.
      for (let empty = 0; empty < 2;) empty = (await receive()) === 0 ? empty + 1 : 0;
    },
    async fail(...orderIds) {
      await orders.send(...orderIds.map((orderId) => ({ orderId })));
      await orders.deliver();
    },
    async depth(queueUrl) {
      const { Attributes = {} } = await sqs.getQueueAttributes({
        QueueUrl: queueUrl,
        AttributeNames: ['ApproximateNumberOfMessages'],
      });
      return Number(Attributes.ApproximateNumberOfMessages);
    },
    stop: () => sqs.destroy(),
  };
  return orders;
}

/** A receive that finds nothing answers at once. */
function hasty(sqs: DeadLetterSqs): DeadLetterSqs {
  return withCalls(sqs, {
    receiveMessage: (input, options) => sqs.receiveMessage({ ...input, WaitTimeSeconds: 0 }, options),
  });
}

/** The client, some calls of which do something else. */
export function withCalls(sqs: DeadLetterSqs, calls: Partial<DeadLetterSqs>): DeadLetterSqs {
  return {
    getQueueAttributes: (input, options) => sqs.getQueueAttributes(input, options),
    receiveMessage: (input, options) => sqs.receiveMessage(input, options),
    changeMessageVisibilityBatch: (input, options) => sqs.changeMessageVisibilityBatch(input, options),
    sendMessageBatch: (input, options) => sqs.sendMessageBatch(input, options),
    deleteMessageBatch: (input, options) => sqs.deleteMessageBatch(input, options),
    listDeadLetterSourceQueues: (input, options) => sqs.listDeadLetterSourceQueues(input, options),
    listQueues: (input, options) => sqs.listQueues(input, options),
    startMessageMoveTask: (input, options) => sqs.startMessageMoveTask(input, options),
    listMessageMoveTasks: (input, options) => sqs.listMessageMoveTasks(input, options),
    cancelMessageMoveTask: (input, options) => sqs.cancelMessageMoveTask(input, options),
    ...calls,
  };
}
