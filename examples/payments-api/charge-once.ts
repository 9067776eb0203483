import { waitForOwner } from 'batchlatch';
import { withIdempotencyContext } from 'batchlatch/functions';
import type { Payment } from './payment.ts';

/** A payment and whose it is, as authentication has verified it. */
export interface Charge extends Payment {
  readonly customerId: string;
}

/**
 * Charges an order once, whatever asks for it: another request with another `Idempotency-Key`, a queue, a script. A client
 * that sends an order twice as two requests is not protected by its keys; the order's own id is.
 *
 * The key begins with the verified customer. By the order's id alone, which a client chooses, one customer would use up
 * the order ids of another, and get the charges that were made for them.
 */
export const chargeOnce = withIdempotencyContext(
  ({ idempotencyKey, signal, done }) =>
    async (charge: Charge): Promise<{ chargeId: string; amountCents: number }> => {
      const response = await fetch(`${process.env['PAYMENTS_URL']}/charges`, {
        method: 'POST',
        // The provider gets the key too: if this process dies after the charge, the next attempt charges nothing.
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify(charge),
        signal,
      });
      if (!response.ok) throw new Error(`The payment provider answered ${response.status}`);
      const { chargeId } = (await response.json()) as { chargeId: string };
      done(); // charged, even if the signal is aborted by now
      return { chargeId, amountCents: charge.amountCents };
    },
  {
    namespace: 'charges',
    key: ({ customerId, orderId }) => [customerId, orderId],
    payload: ({ amountCents }) => amountCents,
    // Two requests for one order at the same moment: the second waits for the first one's charge.
    onConflict: waitForOwner({ timeoutMs: 5_000 }),
  },
);
