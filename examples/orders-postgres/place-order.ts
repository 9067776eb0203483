import { PermanentError } from 'batchlatch';
import type { TransactionClient } from 'batchlatch/postgres';
import type { Order } from './order.ts';

/** Takes the order's goods from the stock and writes the order down. All of it is committed, or nothing. */
export async function placeOrder(
  client: TransactionClient,
  { orderId, sku, quantity }: Order,
): Promise<{ readonly status: 'placed' | 'out-of-stock' }> {
  if (!Number.isSafeInteger(quantity) || quantity < 1) {
    throw new PermanentError('Expected a positive integer as the quantity');
  }
  const taken = await client.query(
    'UPDATE stock SET available = available - $2 WHERE sku = $1 AND available >= $2',
    [sku, quantity],
  );
  const status = taken.rowCount === 1 ? 'placed' : 'out-of-stock';
  await client.query('INSERT INTO orders (order_id, sku, quantity, status) VALUES ($1, $2, $3, $4)', [
    orderId,
    sku,
    quantity,
    status,
  ]);
  return { status };
}
