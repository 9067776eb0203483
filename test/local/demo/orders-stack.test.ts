import { describe, expect, it } from '@jest/globals';
import {
  maxReceiveCount,
  readOrdersStack,
  stackOf,
  withSettings,
} from '../../../lab/local/demo/orders-stack.ts';
import { at, readTemplate } from '../../sam/read-template.ts';

const places = {
  sqs: 'http://127.0.0.1:1001',
  dynamodb: 'http://127.0.0.1:1002',
  eventbridge: 'http://127.0.0.1:1003',
  kinesis: 'http://127.0.0.1:1004',
};
const settings = { visibilityTimeoutSeconds: 1, functionTimeoutMs: 1_800, concurrency: 3 };

describe('the demo', () => {
  const orders = readOrdersStack(places, 'shop');
  const stack = stackOf(withSettings(orders, settings), [orders.claims, orders.charges]);
  const [fn] = stack.functions;

  it("runs the template's function on the template's queue, and nothing else", () => {
    expect(stack.functions).toHaveLength(1);
    expect(fn).toMatchObject({ id: 'OrdersFunction', entry: 'orders-queue.ts', exportName: 'handler' });
    expect(fn?.folder).toMatch(/examples.orders$/);
    expect(stack.queues.map(({ name }) => name)).toEqual(['shop-orders', 'shop-OrdersDeadLetterQueue']);
    expect(fn?.triggers).toMatchObject([
      { kind: 'sqs', queueArn: orders.queue.arn, batchSize: 10, reportsBatchItemFailures: true },
    ]);
  });

  it('changes its times and how much runs at once, and nothing else', () => {
    expect(fn).toEqual({ ...orders.fn, timeoutMs: 1_800, triggers: [expect.anything()] });
    expect(fn?.triggers[0]).toEqual({ ...orders.trigger, windowMs: 0, maximumConcurrency: 3 });
    const { VisibilityTimeout: _, ...kept } = orders.queue.attributes;
    expect(stack.queues[0]?.attributes).toEqual({ ...kept, VisibilityTimeout: '1' });
    expect(stack.queues[1]).toEqual(orders.deadLetterQueue);
  });

  it('gives a message up when the template does', () => {
    const policy = ['Properties', 'RedrivePolicy', 'maxReceiveCount'];
    expect(at(readTemplate(), 'Resources', 'OrdersQueue', ...policy)).toBe(maxReceiveCount(orders));
  });
});
