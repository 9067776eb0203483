import { PermanentError } from 'batchlatch';

interface Charge {
  orderId: unknown;
  amountCents: unknown;
  currency: unknown;
}

/**
 * Sends the receipt of a charge: here, a line on standard output in place of a mail.
 *
 * A mail service that takes an idempotency key would get this one, and then also a process that dies between sending
 * and noting it sends no second receipt.
 */
export async function sendReceipt(
  charge: Charge,
  { idempotencyKey, signal }: { idempotencyKey: string; signal: AbortSignal },
): Promise<void> {
  if (typeof charge.orderId !== 'string' || typeof charge.amountCents !== 'number') {
    throw new PermanentError('Expected a charge to have an orderId and an amount');
  }
  signal.throwIfAborted();
  console.log(JSON.stringify({ message: 'receipt sent', ...charge, idempotencyKey }));
}
