import { createBatchProcessor, payloadHash } from 'batchlatch';
import { chargeOrder } from '../../../examples/orders/charge-order.ts';
import type { Order } from '../../../examples/orders/order.ts';
import { passGate } from './pass-gate.ts';

const leaseMs = process.env['LEASE_MS'];

/** Charges orders; those of the customer `slow` when the test says so, whatever the signal says. */
export const handler = createBatchProcessor<Order>(
  async ({ body }, { attempt }) => {
    if (body.customerId === 'slow') await passGate(`${body.orderId}/${attempt}`);
    const unbounded = new AbortController().signal;
    return chargeOrder(body, unbounded);
  },
  {
    key: payloadHash({ include: ['orderId'] }),
    ...(leaseMs !== undefined && { leaseMs: Number(leaseMs) }),
  },
);
