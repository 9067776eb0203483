import { createBatchProcessor, dynamoDBStream } from 'batchlatch';
import { observer } from './observer.ts';
import { deadLetters } from '../sources/dead-letters.ts';
import { sendReceipt } from './send-receipt.ts';

/**
 * Sends a receipt for every charge, from the stream of the table of charges, in the order of each order's charges.
 *
 * Lambda delivers everything from the first failure on again; receipts that were sent are not sent again. The event source
 * mapping needs `FunctionResponseTypes: [ReportBatchItemFailures]`, and a bound for its attempts (docs/sources/streams.md). A charge
 * that will never have a receipt goes to the queue that DEAD_LETTERS_URL names, and the stream goes on.
 */
export const handler = createBatchProcessor(
  async ({ eventName, newImage }, { idempotencyKey, signal }) => {
    if (eventName !== 'INSERT') return;
    const { orderId, amountCents, currency } = newImage ?? {};
    await sendReceipt({ orderId, amountCents, currency }, { idempotencyKey, signal });
  },
  { source: dynamoDBStream(), observer, ...deadLetters() },
);
