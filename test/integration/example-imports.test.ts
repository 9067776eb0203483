import { describe, expect, it } from '@jest/globals';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { handler as ecsOrders } from '../../examples/ecs/orders.ts';
import { handler as ledgerQueue } from '../../examples/ledger/ledger-queue.ts';
import { handler as chargesStream } from '../../examples/orders/charges-stream.ts';
import { handler as claimMonitor } from '../../examples/orders/claim-monitor.ts';
import { handler as orderPlaced } from '../../examples/orders/order-placed.ts';
import { handler as ordersQueue } from '../../examples/orders/orders-queue.ts';
import { handler as ordersFifo } from '../../examples/orders-fifo/orders-fifo.ts';
import { handler as ordersPostgres } from '../../examples/orders-postgres/orders-postgres.ts';
import { handler as createPaymentPostgres } from '../../examples/payments-api/create-payment-postgres.ts';
import { handler as createPayment } from '../../examples/payments-api/create-payment.ts';
import { handler as shopCharges } from '../../examples/shop/lambda/charge-orders.ts';
import { handler as shopDispatch } from '../../examples/shop/lambda/dispatch.ts';
import { handler as shopOrders } from '../../examples/shop/lambda/place-order.ts';
import { handler as shopRelay } from '../../examples/shop/lambda/relay.ts';
import { handler as shopSweep } from '../../examples/shop/lambda/sweep.ts';
import { handler as invoiceFiles } from '../../examples/sources/invoice-files.ts';
import { handler as pageViews } from '../../examples/sources/page-views.ts';
import { handler as shipments } from '../../examples/sources/shipments.ts';
import { handler as stockChanges } from '../../examples/sources/stock-changes.ts';

const handlers = {
  ecsOrders,
  ledgerQueue,
  chargesStream,
  claimMonitor,
  orderPlaced,
  ordersQueue,
  ordersFifo,
  ordersPostgres,
  createPayment,
  createPaymentPostgres,
  shopCharges,
  shopDispatch,
  shopOrders,
  shopRelay,
  shopSweep,
  invoiceFiles,
  pageViews,
  shipments,
  stockChanges,
};

describe('The handlers of the examples', () => {
  it.each(Object.entries(handlers))('can be imported where nothing is set up: %s', (_name, handler) => {
    expect(process.env['CLAIMS_TABLE_NAME']).toBeUndefined();
    expect(handler).toBeInstanceOf(Function);
  });

  it('say what is missing when they are called there', async () => {
    await expect(ordersQueue(sqsEvent([{ body: {} }]), lambdaContext())).rejects.toThrow(
      'set CLAIMS_TABLE_NAME',
    );
  });
});
