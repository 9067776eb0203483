import { createBatchProcessor } from 'batchlatch';

export const wrongBody = createBatchProcessor<{ orderId: string }>(({ body }) => body.amount);
export const wrongOption = createBatchProcessor(() => undefined, { concurrency: 'three' });
