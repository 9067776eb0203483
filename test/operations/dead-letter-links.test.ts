import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deadLetterLinks } from 'batchlatch/operations';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { type FailedOrders, failedOrders } from './failed-orders.ts';

let emulator: LocalService;
let orders: FailedOrders;
beforeAll(async () => {
  emulator = await startSqsEmulator();
  orders = await failedOrders({ endpoint: emulator.endpoint });
});
afterAll(async () => {
  orders.stop();
  await emulator.stop();
});

it('deadLetterLinks() names the dead-letter queue of a queue, and the queues that feed it', async () => {
  const { deadLetterArn, sourceUrls } = await deadLetterLinks(orders.sqs, orders.queueUrl);
  expect([deadLetterArn?.split(':').at(-1), sourceUrls]).toEqual([
    new URL(orders.deadLetterUrl).pathname.split('/').at(-1),
    [],
  ]);
  const dead = await deadLetterLinks(orders.sqs, orders.deadLetterUrl);
  expect(dead.deadLetterArn).toBeUndefined();
  expect(dead.sourceUrls.map((url) => new URL(url).pathname)).toEqual([new URL(orders.queueUrl).pathname]);
});
