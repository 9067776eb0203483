import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { PermanentError } from 'batchlatch';
import type { Order } from './order.ts';

const documents = DynamoDBDocumentClient.from(new DynamoDBClient());

/**
 * Charges an order: appends a row to the log of charges.
 *
 * The write has no condition and every charge an id of its own, as with a payment provider that knows nothing of
 * idempotency. An order charged twice has two rows.
 */
export async function chargeOrder(order: Order, signal: AbortSignal): Promise<{ chargeId: string }> {
  // No later delivery will make a wrong amount right.
  if (!Number.isSafeInteger(order.amountCents) || order.amountCents <= 0) {
    throw new PermanentError(
      `Expected the amount of order ${order.orderId} to be a positive integer of cents, got ${JSON.stringify(order.amountCents)}`,
    );
  }

  // A charge that has begun is not interrupted: it would not be known whether it was made.
  signal.throwIfAborted();
  const chargeId = randomUUID();
  await documents.send(
    new PutCommand({
      TableName: process.env['CHARGES_TABLE_NAME'],
      Item: { ...order, chargeId, chargedAt: new Date().toISOString() },
    }),
  );
  return { chargeId };
}
