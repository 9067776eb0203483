import { z } from 'zod';

export const order = z.object({
  id: z.string(),
  type: z.literal('OrderPlaced'),
  tenantId: z.string(),
  text: z.string(),
});
