import { setTimeout as delay } from 'node:timers/promises';
import { createBatchProcessor } from 'batchlatch';

/** Takes what a charge takes; what is left of it is the claim. */
export const handler = createBatchProcessor(async ({ body }) => {
  await delay(10);
  return body;
});
