/** What sends messages to a queue, in the benchmark of the sender. */
export type ProducerName =
  | 'batchlatch-send-all'
  | 'batchlatch-send'
  | 'sqs-producer'
  | 'message-queue-toolkit'
  | 'bare-sdk';

/** In the order in which they are shown. */
export const PRODUCERS: readonly ProducerName[] = [
  'batchlatch-send-all',
  'batchlatch-send',
  'sqs-producer',
  'message-queue-toolkit',
  'bare-sdk',
];

/** The message, as the one schema of all producers has it. About 300 bytes of JSON. */
export interface Order {
  readonly id: string;
  readonly type: 'OrderPlaced';
  readonly tenantId: string;
  readonly text: string;
}

/** Sends all of the orders. Rejects if one of them was not sent. */
type SendOrders = (orders: readonly Order[]) => Promise<void>;

/** Makes what sends to a queue. */
export type CreateProducer = (queueUrl: string) => SendOrders;

/** As many requests as `createSender` has under way. */
export const AT_ONCE = 24;
export const IN_BATCH = 10;

export function batchesOf<One>(all: readonly One[]): One[][] {
  return Array.from({ length: Math.ceil(all.length / IN_BATCH) }, (_, index) =>
    all.slice(index * IN_BATCH, (index + 1) * IN_BATCH),
  );
}
