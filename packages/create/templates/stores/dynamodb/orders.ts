import { createBatchProcessor, payloadHash, PermanentError, type RecordHandler } from 'batchlatch';

export interface Order {
  readonly orderId: string;
  readonly amountCents: number;
}

/** Stands for your payment provider. The key tells it that a second request is for the same order. */
export const payments = {
  async charge(order: Order, _options: { readonly idempotencyKey: string; readonly signal: AbortSignal }) {
    return { chargeId: `charge-${order.orderId}` };
  },
};

/** Charges one order. If it throws, the message comes again; a PermanentError parks it until a person releases it. */
export const chargeOrder: RecordHandler<Order> = async ({ body }, { idempotencyKey, signal }) => {
  if (!(body.amountCents > 0)) throw new PermanentError(`Order ${body.orderId} has no amount`);
  return payments.charge(body, { idempotencyKey, signal });
};

/** The same order is the same work, whichever message brings it. */
export const options = { key: payloadHash({ include: ['orderId'] }), namespace: 'my-worker' };

/** Claims are in the DynamoDB table that CLAIMS_TABLE_NAME names. */
export const handler = createBatchProcessor(chargeOrder, options);
