export interface Order {
  readonly orderId: string;
}

/** In place of a payment provider. It knows idempotency keys, so a second request with the same one charges nothing. */
export async function charge(
  order: Order,
  _options: { readonly idempotencyKey: string },
): Promise<{ chargeId: string }> {
  console.log(`charged ${order.orderId}`);
  return { chargeId: `charge-${order.orderId}` };
}
