import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deadLetterQueue } from 'batchlatch';
import {
  type RedriveOptions,
  type RedriveResult,
  peekDeadLetters,
  redriveDeadLetters,
} from 'batchlatch/operations';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { createQueue } from '../../lab/real/support/create-queue.ts';
import { notAClaim } from '../../src/claims/row-format.ts';
import { claimRequest, settlementOf } from '../support/claim-builders.ts';
import { type FailedOrders, failedOrders, withCalls, WHO } from './failed-orders.ts';

let emulator: LocalService;
let orders: FailedOrders;
beforeAll(async () => {
  emulator = await startSqsEmulator();
});
beforeEach(async () => {
  orders?.stop();
  orders = await failedOrders({ endpoint: emulator.endpoint });
});
afterAll(async () => {
  orders.stop();
  await emulator.stop();
});

function redrive(options: Partial<RedriveOptions> = {}): Promise<RedriveResult> {
  return redriveDeadLetters(orders.hasty, {
    queueUrl: orders.deadLetterUrl,
    destinationUrl: orders.queueUrl,
    admin: orders.store,
    which: 'all',
    ...WHO,
    ...options,
  });
}

const whys = ({ messages }: RedriveResult): (string | undefined)[] => messages.map(({ why }) => why);

describe('redriveDeadLetters', () => {
  it('gets parked orders running again: 3 of 3', async () => {
    await orders.fail('a', 'b', 'c');
    orders.isBroken = false;
    expect(await redrive()).toMatchObject({
      ended: 'whole',
      movedBy: 'messages',
      moved: 3,
      released: 3,
      left: 0,
      stillHidden: 0,
      parkedRead: { readBy: 'scan' },
    });
    orders.runs.length = 0;
    await orders.deliver();
    expect(orders.runs.toSorted()).toEqual(['a', 'b', 'c']);
    expect(await orders.depth(orders.deadLetterUrl)).toBe(0);
    const claim = await orders.store.inspect(orders.key('a'));
    expect(claim).toMatchObject({ status: 'COMPLETED', history: [{ operation: 'release', ...WHO }] });
  });

  it('moves messages to the only queue that has this one for its dead-letter queue', async () => {
    await orders.fail('a');
    const { messages } = await redriveDeadLetters(orders.hasty, {
      queueUrl: orders.deadLetterUrl,
      admin: orders.store,
      which: 'all',
      ...WHO,
    });
    expect(messages).toMatchObject([{ outcome: 'moved', destinationUrl: orders.queueUrl }]);
  });

  it('leaves messages of which it is not known where they came from', async () => {
    const { queueUrl } = await createQueue(orders.sqs, { visibilityTimeoutSeconds: 30 });
    await orders.sqs.sendMessage({ QueueUrl: queueUrl, MessageBody: '{"orderId":"a"}' });
    const { messages } = await redriveDeadLetters(orders.hasty, { queueUrl, which: 'all', ...WHO });
    expect(messages).toMatchObject([{ outcome: 'left', why: 'no-destination' }]);
    expect(await orders.depth(queueUrl)).toBe(1);
  });

  it('without a store moves messages only, which parked claims then drop', async () => {
    await orders.fail('a', 'b', 'c');
    orders.isBroken = false;
    const { store: _none, ...options } = { store: undefined, queueUrl: orders.deadLetterUrl };
    const moved = await redriveDeadLetters(orders.hasty, {
      ...options,
      destinationUrl: orders.queueUrl,
      which: 'all',
      ...WHO,
    });
    expect(moved).toMatchObject({ moved: 3, released: 0 });
    orders.runs.length = 0;
    await orders.deliver();
    expect(orders.runs).toEqual([]);
    expect(await orders.depth(orders.deadLetterUrl)).toBe(3);
  });

  it('moves the messages of a list of ids, shows the others again at once, and says what it did not find', async () => {
    await orders.fail('a', 'b', 'c');
    const { messages } = await peekDeadLetters(orders.hasty, { queueUrl: orders.deadLetterUrl });
    const chosen = messages.filter(({ body }) => body.includes('b')).map(({ messageId }) => messageId);
    const result = await redrive({ which: [...chosen, 'of-somewhere-else'] });
    expect(result).toMatchObject({ moved: 1, left: 0, notFound: ['of-somewhere-else'] });
    expect(await orders.depth(orders.deadLetterUrl)).toBe(2);
    expect(await orders.depth(orders.queueUrl)).toBe(1);
    expect((await orders.store.inspect(orders.key('a')))?.status).toBe('PARKED');
  });

  it('moves the messages that a function chooses, by their error too', async () => {
    await orders.fail('a', 'b');
    const result = await redrive({
      which: ({ body, error }) => body.includes('a') && error?.message === 'no such customer',
    });
    expect(result).toMatchObject({ moved: 1, released: 1 });
    expect((await orders.store.inspect(orders.key('b')))?.status).toBe('PARKED');
  });

  it('only says what it would do in a dry run', async () => {
    await orders.fail('a');
    const result = await redrive({ dryRun: true });
    expect(result).toMatchObject({ moved: 1, released: 1, messages: [{ outcome: 'moved' }] });
    expect(await orders.depth(orders.deadLetterUrl)).toBe(1);
    expect((await orders.store.inspect(orders.key('a')))?.status).toBe('PARKED');
  });

  it('brings attributes along, and tells its progress', async () => {
    await orders.send({ orderId: 'a', attributes: { tenant: 'acme', IdempotencyKey: 'mine' } });
    await orders.deliver();
    const told: number[] = [];
    await redrive({ onProgress: ({ moved, total }) => told.push(moved, total) });
    expect(told).toEqual([1, 1]);
    const { Messages = [] } = await orders.sqs.receiveMessage({
      QueueUrl: orders.queueUrl,
      MessageAttributeNames: ['All'],
    });
    expect(Messages[0]?.MessageAttributes).toMatchObject({
      tenant: { StringValue: 'acme' },
      IdempotencyKey: { StringValue: 'mine' },
    });
  });

  it('does not follow a message round and round that fails again at once', async () => {
    await orders.fail('a', 'b');
    const sqs = {
      ...orders.hasty,
      deleteMessageBatch: async (...input: Parameters<typeof orders.hasty.deleteMessageBatch>) => {
        const answer = await orders.hasty.deleteMessageBatch(...input);
        await orders.deliver();
        return answer;
      },
    };
    const result = await redriveDeadLetters(sqs, {
      queueUrl: orders.deadLetterUrl,
      destinationUrl: orders.queueUrl,
      admin: orders.store,
      which: 'all',
      ...WHO,
    });
    expect(result).toMatchObject({ moved: 2, left: 2 });
    expect(whys(result).filter((why) => why === 'came-back')).toHaveLength(2);
    expect(await orders.depth(orders.deadLetterUrl)).toBe(2);
  });

  describe('finds the claim of a message', () => {
    const key = (): string => orders.key('a');
    beforeEach(async () => {
      await orders.fail('a');
      const claim = await orders.store.inspect(key());
      await orders.store.change([
        { operation: 'forget', key: key(), seen: claim!, owner: 'x', ...WHO, retentionMs: 1_000 },
      ]);
    });
    const options = { key: () => orders.key('a') };

    it('in progress, and leaves both', async () => {
      await orders.store.acquire([claimRequest(key())]);
      const result = await redrive(options);
      expect(result).toMatchObject({ moved: 0, left: 1, messages: [{ claims: [{ state: 'in-progress' }] }] });
      expect(whys(result)).toEqual(['running']);
      expect(await orders.depth(orders.deadLetterUrl)).toBe(1);
    });

    it.each([
      ['skip', { moved: 0, deleted: 0, left: 1 }, 1, 0],
      ['move', { moved: 1, deleted: 0, left: 0 }, 0, 1],
      ['delete', { moved: 0, deleted: 1, left: 0 }, 0, 0],
    ] as const)('completed, and does what `completed: %s` says', async (completed, counts, dead, alive) => {
      const request = claimRequest(key());
      await orders.store.acquire([request]);
      await orders.store.settle([settlementOf('complete', request)]);
      expect(await redrive({ ...options, completed })).toMatchObject({ ...counts, released: 0 });
      expect(await orders.depth(orders.deadLetterUrl)).toBe(dead);
      expect(await orders.depth(orders.queueUrl)).toBe(alive);
      expect((await orders.store.inspect(key()))?.status).toBe('COMPLETED');
    });

    it('overdue, and releases it: with `onLapsedLease: park` it would be parked', async () => {
      await orders.store.acquire([claimRequest(key(), { leaseMs: 0 })]);
      expect(await redrive(options)).toMatchObject({ moved: 1, released: 1 });
    });

    it('failed, and has its attempts counted anew: used up, they would park it', async () => {
      const request = claimRequest(key());
      await orders.store.acquire([request]);
      await orders.store.settle([settlementOf('fail', request)]);
      expect(await redrive(options)).toMatchObject({ moved: 1, released: 1 });
      expect(await orders.store.inspect(key())).toMatchObject({ attempt: 1, releases: 1 });
    });

    it('changed by another person meanwhile, and decides by how it is now', async () => {
      const request = claimRequest(key());
      await orders.store.acquire([request]);
      await orders.store.settle([settlementOf('park', request)]);
      const parked = await orders.store.inspect(key());
      const store = Object.create(orders.store, {
        change: {
          value: async (...input: Parameters<typeof orders.store.change>) => {
            await orders.store.change([
              { operation: 'resolve', key: key(), seen: parked!, owner: 'other', ...WHO, retentionMs: 1_000 },
            ]);
            return orders.store.change(...input);
          },
        },
      }) as typeof orders.store;
      const result = await redrive({ ...options, admin: store });
      expect(result).toMatchObject({ moved: 0, released: 0 });
      expect(whys(result)).toEqual(['completed']);
    });
  });

  describe('of messages that `deadLetterQueue()` sent', () => {
    let letters: string;
    beforeEach(async () => {
      const queue = await createQueue(orders.sqs, { visibilityTimeoutSeconds: 30 });
      letters = queue.queueUrl;
      orders.stop();
      orders = await failedOrders({
        endpoint: emulator.endpoint,
        options: { deadLetter: deadLetterQueue({ url: letters }) },
      });
      await orders.send({ orderId: 'a', attributes: { tenant: 'acme' } });
      await orders.deliver();
    });

    it('finds the claim by the key they bring, and sends them back as they were', async () => {
      expect(await redrive({ queueUrl: letters })).toMatchObject({ moved: 1, released: 1 });
      const { Messages = [] } = await orders.sqs.receiveMessage({
        QueueUrl: orders.queueUrl,
        MessageAttributeNames: ['All'],
      });
      expect(Messages[0]?.MessageAttributes).toEqual({ tenant: { DataType: 'String', StringValue: 'acme' } });
    });

    it('has them run again', async () => {
      orders.isBroken = false;
      await redrive({ queueUrl: letters });
      await orders.deliver();
      expect(orders.runs).toEqual(['a', 'a']);
      expect(await orders.depth(letters)).toBe(0);
    });

    it('names the queue that they say they came from, and does not send them there unasked', async () => {
      const { destinationUrl: _none, ...unasked } = { destinationUrl: '', queueUrl: letters };
      const result = await redriveDeadLetters(orders.hasty, {
        ...unasked,
        admin: orders.store,
        which: 'all',
        ...WHO,
      });
      expect(whys(result)).toEqual(['no-destination']);
      expect(result.messages[0]?.error?.message).toContain(orders.queueArn);
      expect((await orders.store.inspect(orders.key('a')))?.status).toBe('PARKED');
    });

    it('leaves what says that it came from elsewhere, where another queue feeds the dead-letter queue', async () => {
      const { queueUrl: only } = await createQueue(orders.sqs, { visibilityTimeoutSeconds: 30 });
      const sqs = withCalls(orders.hasty, {
        listDeadLetterSourceQueues: async () => ({ queueUrls: [only] }),
      });
      const options = { queueUrl: letters, admin: orders.store, which: 'all', ...WHO } as const;
      expect(whys(await redriveDeadLetters(sqs, options))).toEqual(['no-destination']);
      expect(await orders.depth(only)).toBe(0);
      expect((await orders.store.inspect(orders.key('a')))?.status).toBe('PARKED');
    });

    it.each([
      ['of its own making', 'forged'],
      ['that is the end of the key', 'a'],
    ])("takes no forged message's word for a key with a record id %s", async (_, RecordId) => {
      const request = claimRequest(orders.key('old-a'), { owner: 'old' }); // from before claims named their records
      await orders.store.acquire([request]);
      await orders.store.settle([settlementOf('park', request)]);
      await orders.sqs.purgeQueue({ QueueUrl: letters });
      await orders.sqs.sendMessage({
        QueueUrl: letters,
        MessageBody: '{"orderId":"z"}',
        MessageAttributes: Object.fromEntries(
          Object.entries({
            RecordId,
            ErrorName: 'Error',
            ErrorMessage: 'guessed',
            Source: orders.queueArn,
            IdempotencyKey: request.key,
          }).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
        ),
      });
      const result = await redrive({ queueUrl: letters, completed: 'delete' });
      expect(whys(result)).toEqual(['unproven']);
      expect((await orders.store.inspect(request.key))?.status).toBe('PARKED');
    });

    describe('beside a message that names a key of its own', () => {
      async function sendForged(IdempotencyKey: string): Promise<void> {
        const told = { RecordId: 'forged', ErrorName: 'Error', Source: orders.queueArn, IdempotencyKey };
        await orders.sqs.sendMessage({
          QueueUrl: letters,
          MessageBody: '{"orderId":"z"}',
          MessageAttributes: Object.fromEntries(
            Object.entries(told).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
          ),
        });
      }
      const peek = (admin: RedriveOptions['admin']) =>
        peekDeadLetters(orders.hasty, { queueUrl: letters, admin: admin ?? orders.store });

      it('whose row is no claim shows and moves the others, and says why that one is left', async () => {
        await sendForged('other#v1:row');
        const admin = Object.create(orders.store, {
          read: {
            value: async (key: string) => {
              if (key === 'other#v1:row') throw notAClaim(key, 'is not a claim');
              return orders.store.read(key);
            },
          },
        }) as typeof orders.store;
        const { messages } = await peek(admin);
        expect(new Map(messages.map(({ key, claims }) => [key, claims.length]))).toEqual(
          new Map([
            [orders.key('a'), 1],
            ['other#v1:row', 0],
          ]),
        );
        const result = await redrive({ queueUrl: letters, admin });
        expect(result).toMatchObject({ ended: 'whole', moved: 1, released: 1, left: 1 });
        expect(result.messages.find(({ outcome }) => outcome === 'left')).toMatchObject({
          why: 'not-released',
          error: { code: 'BATCHLATCH_NOT_A_CLAIM' },
        });
      });

      it('that is longer than `deadLetterQueue()` writes asks no store for it', async () => {
        await sendForged('k'.repeat(3_000));
        const asked: string[] = [];
        const admin = Object.create(orders.store, {
          read: { value: async (key: string) => asked.push(key) && orders.store.read(key) },
        }) as typeof orders.store;
        expect((await peek(admin)).messages).toHaveLength(2);
        expect(asked).toEqual([orders.key('a')]);
      });
    });
  });

  it('refuses a queue that would move messages on, unless told', async () => {
    const wrong = redrive({ queueUrl: orders.queueUrl, destinationUrl: orders.deadLetterUrl });
    await expect(wrong).rejects.toThrow('has a redrive policy of its own');
    const told = redrive({
      queueUrl: orders.queueUrl,
      destinationUrl: orders.deadLetterUrl,
      usesReceives: true,
    });
    expect((await told).ended).toBe('whole');
  });

  it.each<[string, Partial<RedriveOptions>, string]>([
    [
      'which',
      { which: 'some' as 'all' },
      "Expected `which` to be 'all', a list of message ids, or a function",
    ],
    ['reason', { reason: ' ' }, 'Expected `reason` to be 1 to 256 characters without control characters'],
    ['admin', { admin: {} as never }, 'Expected `admin` to be an admin of claims'],
    ['completed', { completed: 'run' as 'move' }, "Expected `completed` to be 'skip' or 'move' or 'delete'"],
  ])('says what is wrong with `%s`', async (_, wrong, message) => {
    await expect(redrive(wrong)).rejects.toThrow(`redriveDeadLetters: ${message}`);
  });

  it('refuses to move a queue into itself', async () => {
    await expect(redrive({ destinationUrl: orders.deadLetterUrl })).rejects.toThrow('another queue');
  });
});
