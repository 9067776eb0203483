import { type BatchProcessor, createBatchProcessor, payloadHash, PermanentError } from 'batchlatch';

interface Order {
  readonly orderId: string;
  readonly amountCents: number;
}

/** What a payment provider may answer where the same request can succeed later. */
const AGAIN = new Set([408, 409, 425, 429]);

/**
 * Charges each order once. The provider is given the claim's key too: a worker may die after the charge and before its
 * completion is stored.
 */
export const handler: BatchProcessor = createBatchProcessor<Order>(
  async ({ body: { orderId, amountCents } }, { idempotencyKey, signal }) => {
    const response = await fetch(new URL('/charges', process.env['PAYMENTS_URL']), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ orderId, amountCents }),
      signal,
    });
    await response.body?.cancel();
    if (response.ok) return;
    const message = `The payment provider answered ${response.status}`;
    throw response.status < 500 && !AGAIN.has(response.status)
      ? new PermanentError(message)
      : new Error(message);
  },
  { key: payloadHash({ include: ['orderId'] }), namespace: 'orders' },
);
