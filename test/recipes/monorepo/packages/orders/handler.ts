import { createShopProcessor } from '@shop/claims';
import { payloadHash, PermanentError } from 'batchlatch';

export const handler = createShopProcessor<{ orderId: string; amount: number }>(
  'orders',
  async ({ body }) => {
    if (body.amount <= 0) throw new PermanentError(`Expected an amount above 0, got ${body.amount}`);
    console.log(`charged ${body.orderId}`);
  },
  { key: payloadHash({ include: ['orderId'] }) },
);
