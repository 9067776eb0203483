import { PermanentError } from 'batchlatch';
import type { Order } from '../../../../examples/orders/order.ts';

/** What the provider said of an order that may be charged. */
export interface Authorization {
  /** Whether it wants to be told of the charge before that is committed. */
  readonly wantsCharge: boolean;
}

/**
 * Asks the provider whether an order may be charged. Nothing is written yet, so that it may be asked again. It is not handed the
 * signal of the attempt: who listens to that has seen it, and what is returned afterwards would not count as done.
 */
export async function authorize(order: Order): Promise<Authorization> {
  // No later delivery will make a wrong amount right.
  if (!Number.isSafeInteger(order.amountCents) || order.amountCents <= 0) {
    throw new PermanentError(
      `Expected the amount of order ${order.orderId} to be a positive integer of cents`,
    );
  }
  const response = await tell('/authorizations', order);
  if (response.status !== 402) return { wantsCharge: response.status === 202 };
  throw Object.assign(new Error('The card was declined'), { name: 'CardDeclined' });
}

/** Tells the provider of a charge that is not committed yet. */
export async function noteCharge(order: Order): Promise<void> {
  await tell('/charges', order);
}

async function tell(path: string, { orderId }: Order): Promise<Response> {
  const response = await fetch(new URL(path, process.env['PAYMENTS_URL']), {
    method: 'POST',
    body: JSON.stringify({ orderId }),
  });
  await response.arrayBuffer();
  return response;
}
