import { withIdempotencyContext } from 'batchlatch/functions';

export interface Order {
  readonly orderId: string;
  readonly amountCents: number;
}

/**
 * Charges an order once, whoever asks: another request with another `Idempotency-Key`, a queue, a script. A client
 * that sends an order twice as two requests is not protected by its keys; the order's own id is.
 */
export const chargeOnce = withIdempotencyContext(
  ({ idempotencyKey, signal }) =>
    async (order: Order): Promise<{ chargeId: string; amountCents: number }> => {
      const response = await fetch(`${process.env['PAYMENTS_URL']}/charges`, {
        method: 'POST',
        // The provider gets the key too: should this process die after the charge, the next attempt charges nothing.
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify(order),
        signal,
      });
      if (!response.ok) throw new Error(`The payment provider answered ${response.status}`);
      const { chargeId } = (await response.json()) as { chargeId: string };
      return { chargeId, amountCents: order.amountCents };
    },
  {
    namespace: 'charges',
    key: ({ orderId }) => orderId,
    payload: ({ amountCents }) => amountCents,
    // Two requests for one order at the same moment: the second waits for the first one's charge.
    waitForConflict: { timeoutMs: 5_000 },
  },
);
