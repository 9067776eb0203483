import { SQS } from '@aws-sdk/client-sqs';
import {
  backoff,
  type BatchProcessor,
  type ClaimStore,
  createBatchProcessor,
  deadLetterQueue,
  type Observer,
  payloadHash,
} from 'batchlatch';
import { chargeOrder } from '../orders/charge-order.ts';
import { observer } from '../orders/observer.ts';
import type { Order } from '../orders/order.ts';

interface OrdersFifoOptions {
  readonly store?: ClaimStore;
  readonly observer?: Observer;
  readonly deadLettersUrl?: string;
}

/**
 * Charges the orders of a FIFO queue, each once, and those of a customer (the message group) in their order.
 *
 * A failure holds back its group alone. An order that can never be charged goes to the dead-letter queue at once: its group
 * would otherwise wait until it has been received as often as the redrive policy says.
 */
export function createOrdersFifo(options: OrdersFifoOptions): BatchProcessor {
  const { deadLettersUrl = '', ...rest } = options;
  return createBatchProcessor<Order>((record, context) => chargeOrder(record.body, context.signal), {
    key: payloadHash({ include: ['orderId'] }),
    sqs: new SQS({}),
    visibility: backoff({ maxDelayMs: 60_000 }),
    ...(deadLettersUrl !== '' && { deadLetter: deadLetterQueue({ url: deadLettersUrl }) }),
    observer,
    ...rest,
  });
}

export const handler: BatchProcessor = createOrdersFifo({
  deadLettersUrl: process.env['DEAD_LETTERS_URL'] ?? '',
});
