import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deadLetterQueue } from 'batchlatch';
import { peekDeadLetters, redriveDeadLetters } from 'batchlatch/operations';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { type FailedOrders, failedOrders, WHO } from '../../test/operations/failed-orders.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { createQueue } from './support/create-queue.ts';
import { startComponent } from './support/start-component.ts';

/** What each says of its messages, and whether it moves a whole queue itself, as AWS does. */
const SERVICES = [
  { name: 'elasticmq', saysSources: true, movesItself: true },
  { name: 'ministack', saysSources: true, movesItself: false },
  { name: 'fauxqs', saysSources: false, movesItself: false },
] as const;

for (const { name, saysSources, movesItself } of SERVICES) {
  describeWith([componentNamed(name)], `dead letters of ${name}`, () => {
    let service: LocalService;
    let orders: FailedOrders;
    beforeAll(async () => {
      service = await startComponent(name);
    }, INSTALL_TIMEOUT_MS);
    afterAll(async () => {
      await service.stop();
    });
    afterEach(() => orders.stop());

    const redriven = () => ({
      queueUrl: orders.deadLetterUrl,
      admin: orders.store,
      ...WHO,
    });

    describe('of a standard queue', () => {
      beforeEach(async () => {
        orders = await failedOrders({ endpoint: service.endpoint });
        await orders.fail('a', 'b', 'c');
        orders.isBroken = false;
        orders.runs.length = 0;
      });

      it('are shown beside their claims, and stay', async () => {
        for (let look = 1; look <= 2; look += 1) {
          const { messages, isWhole } = await peekDeadLetters(orders.sqs, {
            queueUrl: orders.deadLetterUrl,
            admin: orders.store,
          });
          expect(new Set(messages.map(({ key }) => key))).toEqual(new Set(['a', 'b', 'c'].map(orders.key)));
          expect(messages[0]).toMatchObject({
            sentBy: saysSources ? 'redrive-policy' : 'unknown',
            error: { message: 'no such customer' },
            claims: [{ status: 'PARKED' }],
          });
          expect(isWhole).toBe(true);
        }
      });

      it('run when the whole queue is redriven: 3 of 3', async () => {
        const result = await redriveDeadLetters(orders.sqs, { ...redriven(), which: 'all' });
        expect(result).toMatchObject({
          ended: 'whole',
          movedBy: movesItself ? 'move-task' : 'messages',
          released: 3,
        });
        await orders.deliver();
        expect(orders.runs.toSorted()).toEqual(['a', 'b', 'c']);
        expect(await orders.depth(orders.deadLetterUrl)).toBe(0);
      });

      it('run when they are chosen, and the others stay', async () => {
        const result = await redriveDeadLetters(orders.sqs, {
          ...redriven(),
          which: ({ body }) => body.includes('b'),
        });
        expect(result).toMatchObject({ ended: 'whole', movedBy: 'messages', moved: 1, released: 1 });
        await orders.deliver();
        expect(orders.runs).toEqual(['b']);
        expect(await orders.depth(orders.deadLetterUrl)).toBe(2);
      });
    });

    it('of a FIFO queue keep their groups and their order', async () => {
      orders = await failedOrders({ endpoint: service.endpoint, isFifo: true });
      const sent = ['a1', 'b1', 'a2', 'b2', 'a3'];
      await orders.send(...sent.map((orderId) => ({ orderId, group: orderId.slice(0, 1) })));
      await orders.deliver();
      orders.isBroken = false;
      orders.runs.length = 0;
      const result = await redriveDeadLetters(orders.sqs, { ...redriven(), which: 'all' });
      expect(result).toMatchObject({ ended: 'whole', moved: 5, notSeen: 0 });
      await orders.deliver();
      expect(orders.runs.filter((orderId) => orderId.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
      expect(orders.runs.filter((orderId) => orderId.startsWith('b'))).toEqual(['b1', 'b2']);
    });

    it('that deadLetterQueue() sent go back as they were, and run', async () => {
      orders = await failedOrders({ endpoint: service.endpoint });
      const { queueUrl } = await createQueue(orders.sqs, { visibilityTimeoutSeconds: 30 });
      orders.stop();
      orders = await failedOrders({
        endpoint: service.endpoint,
        options: { deadLetter: deadLetterQueue({ url: queueUrl }) },
      });
      await orders.fail('a');
      orders.isBroken = false;
      const result = await redriveDeadLetters(orders.sqs, {
        ...redriven(),
        queueUrl,
        destinationUrl: orders.queueUrl,
        which: 'all',
      });
      expect(result).toMatchObject({ ended: 'whole', moved: 1, released: 1 });
      await orders.deliver();
      expect(orders.runs).toEqual(['a', 'a']);
    });
  });
}
