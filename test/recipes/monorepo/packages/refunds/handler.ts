import { createShopProcessor } from '@shop/claims';
import { payloadHash } from 'batchlatch';

export const handler = createShopProcessor<{ orderId: string }>(
  'refunds',
  async ({ body }) => {
    console.log(`refunded ${body.orderId}`);
  },
  { key: payloadHash({ include: ['orderId'] }) },
);
