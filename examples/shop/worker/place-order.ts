import { createHash, randomUUID } from 'node:crypto';
import { withFetchIdempotencyContext } from 'batchlatch/http';
import { inTransaction } from 'batchlatch/postgres';
import { readOrder } from '../read-order.ts';
import { leaseMs, ordersOutbox, pool, store } from './database.ts';

/**
 * Places an order: the order, its message and the answer to the request are committed in one transaction. The same
 * request with the same `Idempotency-Key` gets the committed answer.
 */
export const placeOrder = withFetchIdempotencyContext(
  (context) =>
    async (request: Request): Promise<Response> => {
      const wanted = readOrder(await request.text());
      if (wanted === undefined)
        return Response.json({ error: 'Expected a number of cents' }, { status: 400 });
      const order = { orderId: randomUUID(), customerId: await customerOf(request), ...wanted };
      return inTransaction(context, async (client) => {
        await client.query('INSERT INTO orders (id, customer_id, cents) VALUES ($1, $2, $3)', [
          order.orderId,
          order.customerId,
          order.cents,
        ]);
        await ordersOutbox.add(client, 'OrderPlaced', order);
        return Response.json({ orderId: order.orderId }, { status: 201 });
      });
    },
  { namespace: 'place-order', scope: customerOf, maxBodyBytes: 10_000, leaseMs, store },
);

/** Returns the customer whose token the request carries; '' for none, which is refused. */
async function customerOf(request: Request): Promise<string> {
  const [, token = ''] = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
  const hash = createHash('sha256').update(token).digest('hex');
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM customers WHERE token_hash = $1', [hash]);
  return rows[0]?.id ?? '';
}
