import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type DeadLetterSqs,
  type RedriveOptions,
  type RedriveResult,
  redriveDeadLetters,
} from 'batchlatch/operations';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { type FailedOrders, failedOrders, withCalls, WHO } from './failed-orders.ts';

let emulator: LocalService;
let orders: FailedOrders;
beforeAll(async () => {
  emulator = await startSqsEmulator();
});
afterAll(async () => {
  orders.stop();
  await emulator.stop();
});

const ORDERS = ['a', 'b', 'c'];

function redrive(
  calls: Partial<DeadLetterSqs> = {},
  options: Partial<RedriveOptions> = {},
): Promise<RedriveResult> {
  return redriveDeadLetters(withCalls(orders.hasty, calls), {
    queueUrl: orders.deadLetterUrl,
    destinationUrl: orders.queueUrl,
    admin: orders.store,
    which: 'all',
    ...WHO,
    ...options,
  });
}

/** Does what it is asked, and then its answer is lost. */
const lost = () => Promise.reject(new Error('socket hang up'));
const depths = async (): Promise<number[]> => [
  await orders.depth(orders.deadLetterUrl),
  await orders.depth(orders.queueUrl),
];

describe('a redrive that meets a fault', () => {
  beforeEach(async () => {
    orders?.stop();
    orders = await failedOrders({ endpoint: emulator.endpoint });
    await orders.fail(...ORDERS);
    orders.isBroken = false;
    orders.runs.length = 0;
  });

  /** A second redrive moves what the first left, and every order runs once, because its claim is by its id. */
  async function theRestRunsOnce(): Promise<void> {
    await redrive();
    await orders.deliver();
    expect(orders.runs.toSorted()).toEqual(ORDERS);
    expect(await depths()).toEqual([0, 0]);
  }

  it('when it receives leaves everything', async () => {
    const result = await redrive({ receiveMessage: lost });
    expect(result).toMatchObject({ ended: 'failed', moved: 0, error: { message: 'socket hang up' } });
    await theRestRunsOnce();
  });

  it('when claims are read leaves everything, visible', async () => {
    const store = { ...orders.store, list: lost };
    expect(await redrive({}, { admin: store })).toMatchObject({ ended: 'failed', moved: 0 });
    expect(await depths()).toEqual([3, 0]);
    await theRestRunsOnce();
  });

  it('when a claim is released moves no message of it', async () => {
    const { change: operate } = orders.store;
    const store = {
      ...orders.store,
      change: async (...[operations]: Parameters<typeof operate>) =>
        operations[0]?.key === orders.key('b') ? lost() : operate(operations),
    };
    const result = await redrive({}, { admin: store });
    expect(result).toMatchObject({ ended: 'whole', moved: 2, left: 1, released: 2 });
    expect(result.messages.find(({ outcome }) => outcome === 'left')).toMatchObject({
      why: 'not-released',
      error: { message: 'socket hang up' },
    });
    expect(await depths()).toEqual([1, 2]);
    await theRestRunsOnce();
  });

  it('before SQS has the messages leaves them', async () => {
    const result = await redrive({ sendMessageBatch: lost });
    expect(result).toMatchObject({ ended: 'failed', moved: 0, left: 3, released: 3 });
    expect(result.messages.map(({ why }) => why)).toEqual(['unanswered', 'unanswered', 'unanswered']);
    expect(await depths()).toEqual([3, 0]);
    await theRestRunsOnce();
  });

  it('after SQS has them, and its answer is lost, may have them in both queues, and never in none', async () => {
    const result = await redrive({
      sendMessageBatch: async (input) => {
        await orders.sqs.sendMessageBatch(input);
        return lost();
      },
    });
    expect(result).toMatchObject({ ended: 'failed', moved: 0, left: 3 });
    expect(await depths()).toEqual([3, 3]);
    await theRestRunsOnce();
  });

  it('with a refusal of the whole request does not say that it may be there', async () => {
    const refusal = Object.assign(new Error('AccessDenied'), { $fault: 'client' });
    const result = await redrive({ sendMessageBatch: () => Promise.reject(refusal) });
    expect(result.messages.map(({ why }) => why)).toEqual(['refused', 'refused', 'refused']);
    await theRestRunsOnce();
  });

  it('of one message moves the others, and sends again what SQS could not take', async () => {
    let calls = 0;
    const result = await redrive({
      sendMessageBatch: async (input) => {
        calls += 1;
        const isFor = (order: string) => (entry: { MessageBody: string }) =>
          entry.MessageBody.includes(`"${order}"`);
        const refused = input.Entries.find(isFor('a'));
        const busy = calls === 1 ? input.Entries.find(isFor('b')) : undefined;
        const rest = input.Entries.filter((entry) => entry !== refused && entry !== busy);
        const { Successful = [] } =
          rest.length === 0 ? {} : await orders.sqs.sendMessageBatch({ ...input, Entries: rest });
        return {
          Successful,
          Failed: [
            ...(refused === undefined
              ? []
              : [{ Id: refused.Id, Code: 'InvalidMessageContents', SenderFault: true }]),
            ...(busy === undefined ? [] : [{ Id: busy.Id, Code: 'InternalError', SenderFault: false }]),
          ],
        };
      },
    });
    expect(result).toMatchObject({ ended: 'whole', moved: 2, left: 1 });
    expect(calls).toBe(2);
    expect(result.messages.find(({ why }) => why === 'refused')?.error?.message).toContain(
      'InvalidMessageContents',
    );
    expect(await depths()).toEqual([1, 2]);
    await theRestRunsOnce();
  });

  it('when it deletes tries again', async () => {
    let calls = 0;
    const result = await redrive({
      deleteMessageBatch: async (input) => {
        calls += 1;
        if (calls === 1) return lost();
        if (calls === 2) return { Failed: [{ Id: '1', Code: 'InternalError' }, { Id: '0' }, { Id: '2' }] };
        return orders.sqs.deleteMessageBatch(input);
      },
    });
    expect(result).toMatchObject({ ended: 'whole', moved: 3, undeleted: [] });
    expect(await depths()).toEqual([0, 3]);
    await theRestRunsOnce();
  });

  it('and cannot delete says which messages are in both queues, and does not show them again', async () => {
    const result = await redrive({ deleteMessageBatch: lost });
    expect(result).toMatchObject({ ended: 'failed', moved: 3 });
    expect(result.undeleted).toHaveLength(3);
    expect(await depths()).toEqual([0, 3]);
  });

  it('when it is stopped ends after the messages that it is moving', async () => {
    await orders.send(...Array.from({ length: 20 }, (_, index) => ({ orderId: String(index) })));
    orders.isBroken = true;
    await orders.deliver();
    const controller = new AbortController();
    const result = await redrive(
      {
        sendMessageBatch: async (input) => {
          controller.abort();
          return orders.sqs.sendMessageBatch(input);
        },
      },
      { signal: controller.signal },
    );
    expect(result).toMatchObject({ ended: 'aborted', moved: 10, stillHidden: 0 });
    expect(await depths()).toEqual([13, 10]);
  });

  it('beside another person who redrives the same queue moves every message once', async () => {
    const results = await Promise.all([redrive(), redrive()]);
    expect(results.map(({ moved }) => moved).reduce((all, moved) => all + moved)).toBe(3);
    await orders.deliver();
    expect(orders.runs.toSorted()).toEqual(ORDERS);
    expect(await depths()).toEqual([0, 0]);
  });
});

describe('a redrive of a FIFO queue', () => {
  const groups = ['a1', 'b1', 'a2', 'b2', 'a3'];
  beforeEach(async () => {
    orders?.stop();
    orders = await failedOrders({ endpoint: emulator.endpoint, isFifo: true });
    await orders.send(...groups.map((orderId) => ({ orderId, group: orderId.slice(0, 1) })));
    await orders.deliver();
    orders.isBroken = false;
    orders.runs.length = 0;
  });
  const ofGroup = (group: string): string[] => orders.runs.filter((orderId) => orderId.startsWith(group));

  it('keeps groups and their order, and is not dropped for having been sent a moment ago', async () => {
    expect(await redrive()).toMatchObject({ ended: 'whole', moved: 5, released: 5, notSeen: 0 });
    await orders.deliver();
    expect([ofGroup('a'), ofGroup('b')]).toEqual([
      ['a1', 'a2', 'a3'],
      ['b1', 'b2'],
    ]);
  });

  it('that refuses what an earlier attempt may have sent does not say that it was not sent', async () => {
    const refusal = Object.assign(new Error('AccessDenied'), { $fault: 'client' });
    let calls = 0;
    const result = await redrive({
      sendMessageBatch: async (input) => {
        calls += 1;
        if (calls > 1) throw refusal;
        await orders.sqs.sendMessageBatch(input);
        return lost();
      },
    });
    expect(result).toMatchObject({ ended: 'failed', error: { message: 'AccessDenied' } });
    expect(new Set(result.messages.map(({ why }) => why))).toEqual(new Set(['unanswered']));
  });

  it('can be redriven again and again', async () => {
    for (let round = 1; round <= 2; round += 1) {
      orders.isBroken = true;
      await redrive();
      await orders.deliver();
      expect(await depths()).toEqual([5, 0]);
    }
    orders.isBroken = false;
    await redrive();
    orders.runs.length = 0;
    await orders.deliver();
    expect(ofGroup('a')).toEqual(['a1', 'a2', 'a3']);
  });

  it('sends a message again whose answer was lost, and it arrives once', async () => {
    let calls = 0;
    const result = await redrive({
      sendMessageBatch: async (input) => {
        calls += 1;
        const answer = await orders.sqs.sendMessageBatch(input);
        return calls === 1 ? lost() : answer;
      },
    });
    expect(result).toMatchObject({ ended: 'whole', moved: 5 });
    expect(await depths()).toEqual([0, 5]);
  });

  it('sends nothing of a group after a message that was left, and says what it could not see', async () => {
    const result = await redrive(
      {},
      {
        admin: {
          ...orders.store,
          change: async (operations) =>
            operations[0]?.key === orders.key('a1') ? lost() : orders.store.change(operations),
        },
      },
    );
    expect(result).toMatchObject({ ended: 'whole', moved: 2, left: 1, notSeen: 2 });
    await orders.deliver();
    expect(orders.runs).toEqual(['b1', 'b2']);
    await redrive();
    await orders.deliver();
    expect(ofGroup('a')).toEqual(['a1', 'a2', 'a3']);
  });
});
