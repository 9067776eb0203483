import { randomUUID } from 'node:crypto';
import { type BatchProcessor, createBatchProcessor, payloadHash } from 'batchlatch';
import { inTransaction, postgresStore } from 'batchlatch/postgres';
import { Pool } from 'pg';
import { observer } from '../../../../examples/orders/observer.ts';
import type { Order } from '../../../../examples/orders/order.ts';
import { authorize, noteCharge } from './payments.ts';

const { DATABASE_URL, CLAIMS_TABLE, CHARGES_TABLE } = process.env;
const pool = new Pool({ connectionString: DATABASE_URL, max: 4 });
pool.on('error', () => undefined); // of a connection that nobody uses

/**
 * Charges the orders of an SQS batch, each once: the charge and the completion of its claim are one transaction, so that a
 * process that dies in between has done neither.
 */
export const handler: BatchProcessor = createBatchProcessor<Order>(
  async ({ body: order }, context) => {
    const { wantsCharge } = await authorize(order);
    context.signal.throwIfAborted();
    return inTransaction(context, async (client) => {
      const chargeId = randomUUID();
      await client.query(
        `INSERT INTO ${CHARGES_TABLE} (charge_id, order_id, amount_cents, currency) VALUES ($1, $2, $3, $4)`,
        [chargeId, order.orderId, order.amountCents, order.currency],
      );
      if (wantsCharge) await noteCharge(order);
      return { chargeId };
    });
  },
  {
    key: payloadHash({ include: ['orderId'] }),
    observer,
    store: postgresStore({ pool, ...(CLAIMS_TABLE !== undefined && { table: CLAIMS_TABLE }) }),
  },
);
