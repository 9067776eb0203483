import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type DeadLetterSqs,
  type RedriveOptions,
  type RedriveResult,
  peekDeadLetters,
} from 'batchlatch/operations';
import { manualClock } from 'batchlatch/testing';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { redriveDeadLetters } from '../../src/operations/dead-letters/redrive-dead-letters.ts';
import { claimRequest, settlementOf } from '../support/claim-builders.ts';
import { until } from '../support/until.ts';
import { type FailedOrders, failedOrders, withCalls, WHO } from './failed-orders.ts';

let emulator: LocalService;
let orders: FailedOrders;
let task: Partial<Record<'handle' | 'status' | 'reason', string>> & { moved: number };
const calls: string[] = [];

beforeAll(async () => {
  emulator = await startSqsEmulator();
});
afterAll(async () => {
  orders.stop();
  await emulator.stop();
});
beforeEach(async () => {
  orders?.stop();
  orders = await failedOrders({ endpoint: emulator.endpoint });
  await orders.fail('a', 'b', 'c');
  orders.isBroken = false;
  orders.runs.length = 0;
  calls.length = 0;
  task = { moved: 0 };
});

/** What fauxqs lacks: it says where messages came from, and which queues feed the dead-letter queue, and moves them itself. */
function likeAws(own: Partial<DeadLetterSqs> = {}): DeadLetterSqs {
  const { hasty: sqs } = orders;
  return withCalls(sqs, {
    receiveMessage: async (input) => {
      const { Messages = [] } = await sqs.receiveMessage(input);
      return {
        Messages: Messages.map((message) => ({
          ...message,
          Attributes: { ...message.Attributes, DeadLetterQueueSourceArn: orders.queueArn },
        })),
      };
    },
    listDeadLetterSourceQueues: async () => ({ queueUrls: [orders.queueUrl] }),
    startMessageMoveTask: async (input) => {
      calls.push(`start ${JSON.stringify(input)}`);
      task = { handle: 'task-1', status: 'RUNNING', moved: 0 };
      return { TaskHandle: 'task-1' };
    },
    listMessageMoveTasks: async () => ({
      Results: [
        {
          Status: task.status,
          ApproximateNumberOfMessagesMoved: task.moved,
          ...(task.reason !== undefined && { FailureReason: task.reason }),
        },
      ],
    }),
    cancelMessageMoveTask: async ({ TaskHandle }) => {
      calls.push(`cancel ${TaskHandle}`);
      task.status = 'CANCELLED';
    },
    ...own,
  });
}

function start(sqs: DeadLetterSqs, options: Partial<RedriveOptions> = {}) {
  const clock = manualClock();
  const told: number[] = [];
  const result = redriveDeadLetters(sqs, {
    queueUrl: orders.deadLetterUrl,
    admin: orders.store,
    which: 'all',
    onProgress: ({ moved }) => told.push(moved),
    clock,
    ...WHO,
    ...options,
  });
  return { result, clock, told };
}

const redrive = (sqs: DeadLetterSqs, options?: Partial<RedriveOptions>): Promise<RedriveResult> =>
  start(sqs, options).result;
const statusOf = async (orderId: string) => (await orders.store.inspect(orders.key(orderId)))?.status;

describe('a whole queue', () => {
  it('is moved by SQS itself, after the claims are released and the messages are shown again', async () => {
    const { result, clock, told } = start(likeAws());
    await until('SQS moves them', () => told.length > 0);
    expect([await statusOf('a'), await statusOf('c')]).toEqual(['FAILED', 'FAILED']);
    expect(await orders.depth(orders.deadLetterUrl)).toBe(3);
    task.moved = 2;
    await clock.advance(1_000);
    await until('it is asked again', () => told.includes(2));
    task = { status: 'COMPLETED', moved: 3 };
    await clock.advance(1_000);
    expect(await result).toMatchObject({
      ended: 'whole',
      movedBy: 'move-task',
      moved: 3,
      released: 3,
      left: 0,
    });
    const { Attributes } = await orders.sqs.getQueueAttributes({
      QueueUrl: orders.deadLetterUrl,
      AttributeNames: ['QueueArn'],
    });
    expect(calls).toEqual([`start {"SourceArn":"${Attributes?.QueueArn}"}`]);
  });

  it('does not take the end of the task before for its own', async () => {
    let isListed = false;
    const earlier = { Status: 'COMPLETED', StartedTimestamp: 1, ApproximateNumberOfMessagesMoved: 9 };
    const { result, clock, told } = start(
      likeAws({
        listMessageMoveTasks: async () => ({
          Results: [
            isListed
              ? { Status: 'COMPLETED', StartedTimestamp: 2, ApproximateNumberOfMessagesMoved: 3 }
              : earlier,
          ],
        }),
      }),
    );
    await until('it is started', () => calls.length === 1 && told.length > 0);
    isListed = true;
    await clock.advance(1_000);
    expect(await result).toMatchObject({ ended: 'whole', movedBy: 'move-task', moved: 3 });
  });

  it('goes to the queue that was given', async () => {
    const { result } = start(
      likeAws({ listMessageMoveTasks: async () => ({ Results: [{ Status: 'COMPLETED' }] }) }),
      {
        destinationUrl: orders.queueUrl,
      },
    );
    expect((await result).movedBy).toBe('move-task');
    expect(calls[0]).toContain(`"DestinationArn":"${orders.queueArn}"`);
  });

  it('goes there message by message where it may not be asked what that queue is', async () => {
    const { hasty: sqs } = orders;
    const unasked = likeAws({
      getQueueAttributes: (input) =>
        input.QueueUrl === orders.queueUrl
          ? Promise.reject(new Error('AccessDenied'))
          : sqs.getQueueAttributes(input),
    });
    const result = await redrive(unasked, { destinationUrl: orders.queueUrl });
    expect(result).toMatchObject({ ended: 'whole', movedBy: 'messages', moved: 3 });
  });

  it('is not looked through where there is no store', async () => {
    const sqs = likeAws({
      receiveMessage: () => Promise.reject(new Error('not needed')),
      listMessageMoveTasks: async () => ({
        Results: [{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 3 }],
      }),
    });
    const { store: _none, ...options } = { store: undefined, queueUrl: orders.deadLetterUrl };
    const result = await redriveDeadLetters(sqs, { ...options, which: 'all', ...WHO, clock: manualClock() });
    expect(result).toMatchObject({ movedBy: 'move-task', moved: 3 });
  });

  it('is stopped by the signal', async () => {
    const controller = new AbortController();
    const { result, told } = start(likeAws(), { signal: controller.signal });
    await until('SQS moves them', () => told.length > 0);
    task.moved = 1;
    controller.abort();
    expect(await result).toMatchObject({ ended: 'aborted', movedBy: 'move-task', moved: 1 });
    expect(calls.at(-1)).toBe('cancel task-1');
  });

  it('that SQS does not want to move is moved message by message, to where each came from', async () => {
    const refused = likeAws({
      startMessageMoveTask: () => Promise.reject(new Error('There is already a task running')),
    });
    expect(await redrive(refused)).toMatchObject({
      ended: 'whole',
      movedBy: 'messages',
      moved: 3,
      released: 3,
    });
    await orders.deliver();
    expect(orders.runs.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('of which SQS could not move all is finished message by message', async () => {
    const failing = likeAws({
      listMessageMoveTasks: async () => ({
        Results: [{ Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' }],
      }),
    });
    expect(await redrive(failing)).toMatchObject({ ended: 'whole', movedBy: 'messages', moved: 3 });
  });

  it.each<[string, DeadLetterSqs['listMessageMoveTasks'], RegExp]>([
    [
      'fails to say how far it is',
      () => (calls.length === 0 ? Promise.resolve({}) : Promise.reject(new Error('throttled'))),
      /throttled/,
    ],
    ['never lists it', async () => ({ Results: [] }), /does not list the task/],
  ])('of which SQS %s goes on without us', async (_how, listMessageMoveTasks, message) => {
    const { result, clock } = start(likeAws({ listMessageMoveTasks }));
    await until('it is started', () => calls.length === 1);
    for (let second = 0; second < 12; second += 1) {
      await clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await result).toMatchObject({
      ended: 'failed',
      movedBy: 'move-task',
      error: { message: expect.stringMatching(message) },
    });
  });

  it('is moved message by message where the task before, which may have ended, cannot be told', async () => {
    const before = { Status: 'COMPLETED', StartedTimestamp: 1, ApproximateNumberOfMessagesMoved: 9 };
    let isAsked = false;
    const throttled = likeAws({
      listMessageMoveTasks: async () => {
        if (isAsked) return { Results: [before] };
        isAsked = true;
        throw new Error('throttled');
      },
    });
    expect(await redrive(throttled)).toMatchObject({ ended: 'whole', movedBy: 'messages', moved: 3 });
    expect(calls).toEqual([]);
  });

  it('with a message that somebody sent there is moved message by message, or SQS would stop at it', async () => {
    const { hasty: sqs } = orders;
    const mixed = likeAws({ receiveMessage: (input) => sqs.receiveMessage(input) });
    expect(await redrive(mixed)).toMatchObject({ ended: 'whole', movedBy: 'messages', moved: 3 });
    expect(calls).toEqual([]);
  });

  it('with a message that must stay is moved message by message', async () => {
    const request = claimRequest(orders.key('b'));
    const parked = await orders.store.inspect(request.key);
    await orders.store.change([
      { operation: 'release', key: request.key, seen: parked!, owner: 'x', ...WHO, retentionMs: 1_000 },
    ]);
    await orders.store.acquire([request]);
    await orders.store.settle([settlementOf('complete', request)]);
    const key = ({ body }: { body: string }): string => orders.key(JSON.parse(body).orderId);
    expect(await redrive(likeAws(), { key })).toMatchObject({ movedBy: 'messages', moved: 2, left: 1 });
    expect(calls).toEqual([]);
  });
});

describe('a dead-letter queue of which AWS says where its messages came from', () => {
  it("takes no sender's attributes for those of deadLetterQueue()", async () => {
    await orders.send({
      orderId: 'd',
      attributes: {
        RecordId: 'r',
        ErrorName: 'Error',
        Source: 'arn:aws:sqs:us-east-1:000000000000:payroll',
        IdempotencyKey: orders.key('a'),
      },
    });
    orders.isBroken = true;
    await orders.deliver();
    const { messages } = await peekDeadLetters(likeAws(), {
      queueUrl: orders.deadLetterUrl,
      admin: orders.store,
    });
    expect(messages.find(({ body }) => body.includes('"d"'))).toMatchObject({
      sentBy: 'redrive-policy',
      source: orders.queueArn,
      key: orders.key('d'),
      attributes: { IdempotencyKey: orders.key('a') },
    });
  });
});
