import { SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { emulatorClientConfig } from '../../src/dev/emulators/emulator-environment.ts';
import {
  type EventSourceMapping,
  startEventSourceMapping,
} from '../../local/emulators/event-source-mapping.ts';
import type { LocalService } from '../../src/dev/emulators/local-service.ts';
import { createOrdersQueues, type OrdersQueues } from '../../local/demo/orders-stack.ts';
import { startSqsEmulator } from '../../src/dev/emulators/sqs-emulator.ts';
import { readDepth, readMessageIds } from '../../local/demo/stored-orders.ts';
import { sendBodies } from '../support/orders-stack.ts';
import { until } from '../support/until.ts';

describe('the event source mapping', () => {
  let fauxqs: LocalService;
  let sqs: SQSClient;
  let queues: OrdersQueues;
  let mapping: EventSourceMapping | undefined;
  /** What the function was invoked with. */
  let batches: SQSRecord[][];

  beforeEach(async () => {
    fauxqs = await startSqsEmulator();
    sqs = new SQSClient({ ...emulatorClientConfig, endpoint: fauxqs.endpoint });
    queues = await createOrdersQueues(sqs, 1);
    batches = [];
  });
  afterEach(async () => {
    await mapping?.stop();
    sqs.destroy();
    await fauxqs.stop();
  });

  function poll(answer: (event: SQSEvent) => unknown, options: { concurrency?: number } = {}): void {
    mapping = startEventSourceMapping({
      sqs,
      ...queues,
      ...options,
      async invoke(event) {
        batches.push(event.Records);
        return answer(event);
      },
    });
  }

  const untilEmpty = () =>
    until('the queue is empty', async () => {
      const { visible, inFlight } = await readDepth(sqs, queues.queueUrl);
      return visible + inFlight === 0;
    });

  const deliveriesOf = (messageId: string) =>
    batches.flat().filter((record) => record.messageId === messageId).length;

  it('delivers batches as Lambda does', async () => {
    const [messageId] = await sendBodies({ sqs, queues }, [{ orderId: 'a' }]);
    poll(() => undefined);
    await untilEmpty();
    expect(batches).toEqual([
      [
        expect.objectContaining({
          messageId,
          body: '{"orderId":"a"}',
          attributes: expect.objectContaining({ ApproximateReceiveCount: '1' }),
          eventSource: 'aws:sqs',
          eventSourceARN: queues.queueArn,
          awsRegion: 'us-east-1',
        }),
      ],
    ]);
  });

  it('deletes what the answer does not name, and delivers the rest again', async () => {
    const messageIds = await sendBodies({ sqs, queues }, ['a', 'b', 'c']);
    const [, itemIdentifier = ''] = messageIds;
    poll(() => ({ batchItemFailures: batches.length === 1 ? [{ itemIdentifier }] : [] }));
    await untilEmpty();
    expect(messageIds.map(deliveriesOf)).toEqual([1, 2, 1]);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('Runtime exited'))],
    ['names a message that was not in the batch', () => failing('another')],
    ['names none in an entry', () => failing('')],
  ])('deletes nothing of a batch when the function %s', async (_, answer) => {
    const messageIds = await sendBodies({ sqs, queues }, ['a', 'b']);
    poll(() => (batches.length === 1 ? answer() : undefined));
    await untilEmpty();
    expect(messageIds.map(deliveriesOf)).toEqual([2, 2]);
  });

  it('leaves it to the redrive policy to move what keeps failing', async () => {
    const [messageId = ''] = await sendBodies({ sqs, queues }, ['a']);
    poll(() => failing(messageId));
    await untilEmpty();
    expect(deliveriesOf(messageId)).toBe(5);
    expect(await readMessageIds(sqs, queues.deadLetterQueueUrl)).toEqual(new Set([messageId]));
  }, 20_000);

  it('has as many batches in flight as it is told to', async () => {
    await sendBodies({ sqs, queues }, Array.from({ length: 60 }).fill('order'));
    let running = 0;
    let mostRunning = 0;
    poll(
      async () => {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        await until('three run at once', () => batches.length >= 3);
        running -= 1;
      },
      { concurrency: 3 },
    );
    await untilEmpty();
    expect(mostRunning).toBe(3);
    expect(mapping?.delivered).toBe(60);
  });

  it('ends the batches in flight before it stops', async () => {
    const [messageId = ''] = await sendBodies({ sqs, queues }, ['a']);
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    poll(() => ended);
    await until('it is delivered', () => deliveriesOf(messageId) === 1);
    const stopped = mapping?.stop();
    end();
    await stopped;
    expect(await readDepth(sqs, queues.queueUrl)).toEqual({ visible: 0, inFlight: 0 });
  });
});

function failing(itemIdentifier: string): unknown {
  return { batchItemFailures: [{ itemIdentifier }] };
}
