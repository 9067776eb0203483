import { createBatchProcessor } from 'batchlatch';
import { sendReceipt } from './send-receipt.ts';

/**
 * Sends a receipt for every charge, from the stream of the table of charges, in the order of each order's charges.
 *
 * Lambda delivers everything from the first failure on again; receipts that were sent are not sent again. The event source
 * mapping needs `FunctionResponseTypes: [ReportBatchItemFailures]`, and a bound for its attempts (docs/sources.md).
 */
export const handler = createBatchProcessor(async (record, { idempotencyKey, signal }) => {
  if (record.source !== 'dynamodb-stream' || record.eventName !== 'INSERT') return;
  const { orderId, amountCents, currency } = record.newImage ?? {};
  await sendReceipt({ orderId, amountCents, currency }, { idempotencyKey, signal });
});
