import { createOutboxRelay } from 'batchlatch/outbox';
import { createSender } from 'batchlatch/sender';
import { createWorker } from 'batchlatch/worker';
import { dispatches, orders } from '../messages.ts';
import { handler as chargeOrders } from './charge-orders.ts';
import { dispatchesTable, ordersTable, pool } from './database.ts';
import { handler as dispatch } from './dispatch.ts';

const ordersQueue = { queueUrl: process.env['ORDERS_QUEUE_URL'] ?? '' };
const dispatchesQueue = { queueUrl: process.env['DISPATCHES_QUEUE_URL'] ?? '' };

const parts = [
  createOutboxRelay({ pool, table: ordersTable, sender: createSender(orders, ordersQueue) }),
  createWorker({ ...ordersQueue, handler: chargeOrders, maxInFlight: 5 }),
  createOutboxRelay({ pool, table: dispatchesTable, sender: createSender(dispatches, dispatchesQueue) }),
  createWorker({ ...dispatchesQueue, handler: dispatch, maxInFlight: 5 }),
];

process.once('SIGTERM', () => void stop());
await Promise.all(parts.map((part) => part.start()));
console.log('The worker is running');

async function stop(): Promise<void> {
  await Promise.all(parts.map((part) => part.stop()));
  await pool.end();
}
