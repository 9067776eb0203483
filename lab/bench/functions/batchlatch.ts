import { createBatchProcessor } from 'batchlatch';

export const handler = createBatchProcessor(async ({ body }) => {
  if (body === null) throw new Error('An order needs a body');
});
