import { describe, expect, it } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import { type DeadLetterSqs, redriveDeadLetters } from 'batchlatch/operations';
import { claimRequest, settlementOf } from '../support/claim-builders.ts';
import { WHO } from './failed-orders.ts';

const QUEUE_URL = 'http://127.0.0.1/000000000000/dead.fifo';

/** A FIFO queue that gives all of a group at once, as AWS may, and refuses what it is told to. */
function fifoOf(ids: readonly string[], refused: readonly string[] = []) {
  const sent: string[][] = [];
  const gone = new Set<string>();
  let isReceived = false;
  const sqs: DeadLetterSqs = {
    getQueueAttributes: async () => ({
      Attributes: {
        QueueArn: 'arn:aws:sqs:us-east-1:000000000000:dead.fifo',
        ApproximateNumberOfMessages: '5',
      },
    }),
    receiveMessage: async () => {
      const Messages = isReceived
        ? []
        : ids.map((id) => ({
            MessageId: id,
            ReceiptHandle: id,
            Body: id,
            Attributes: { MessageGroupId: id.slice(0, 1) },
          }));
      isReceived = true;
      return { Messages };
    },
    changeMessageVisibilityBatch: async () => ({}),
    sendMessageBatch: async ({ Entries }) => {
      sent.push(Entries.map(({ MessageBody }) => MessageBody));
      const isRefused = ({ MessageBody }: { MessageBody: string }): boolean => refused.includes(MessageBody);
      return {
        Successful: Entries.filter((entry) => !isRefused(entry)).map(({ Id, MessageBody }) => ({
          Id,
          MessageId: `new ${MessageBody}`,
        })),
        Failed: Entries.filter(isRefused).map(({ Id }) => ({ Id, SenderFault: true })),
      };
    },
    deleteMessageBatch: async ({ Entries }) => {
      for (const { ReceiptHandle } of Entries) gone.add(ReceiptHandle);
      return {};
    },
    listDeadLetterSourceQueues: async () => ({ queueUrls: ['http://127.0.0.1/000000000000/orders.fifo'] }),
    listQueues: () => Promise.reject(new Error('not asked')),
    startMessageMoveTask: () => Promise.reject(new Error('not asked')),
    listMessageMoveTasks: () => Promise.reject(new Error('not asked')),
    cancelMessageMoveTask: () => Promise.reject(new Error('not asked')),
  };
  return { sqs, sent, gone };
}

const whysOf = (messages: readonly { messageId: string; why?: string }[]): unknown =>
  Object.fromEntries(messages.map(({ messageId, why }) => [messageId, why]));

describe('messages of a group that come in one receive', () => {
  it('are sent one request after the other, beside those of other groups', async () => {
    const { sqs, sent } = fifoOf(['a1', 'a2', 'b1', 'a3', 'b2']);
    const store = memoryStore();
    const result = await redriveDeadLetters(sqs, { queueUrl: QUEUE_URL, admin: store, which: 'all', ...WHO });
    expect(result).toMatchObject({ ended: 'whole', moved: 5 });
    expect(sent).toEqual([['a1', 'b1'], ['a2', 'b2'], ['a3']]);
  });

  it('leave none unseen where the rest of the queue did not have to be read', async () => {
    const { sqs } = fifoOf(['a1', 'b1']);
    const options = { queueUrl: QUEUE_URL, admin: memoryStore(), ...WHO };
    expect(await redriveDeadLetters(sqs, { ...options, which: ['a1'] })).toMatchObject({
      ended: 'whole',
      moved: 1,
      notSeen: 0,
    });
  });

  it('are not sent after one that SQS refused', async () => {
    const { sqs, sent, gone } = fifoOf(['a1', 'a2', 'b1', 'a3', 'b2'], ['a2']);
    const store = memoryStore();
    const { messages } = await redriveDeadLetters(sqs, {
      queueUrl: QUEUE_URL,
      admin: store,
      which: 'all',
      ...WHO,
    });
    expect(sent).toEqual([
      ['a1', 'b1'],
      ['a2', 'b2'],
    ]);
    expect([...gone]).toEqual(['a1', 'b1', 'b2']);
    expect(whysOf(messages)).toEqual({
      a1: undefined,
      a2: 'refused',
      a3: 'behind',
      b1: undefined,
      b2: undefined,
    });
  });

  it('are not sent after one whose handler is at work, and their claims are left alone', async () => {
    const { sqs, sent } = fifoOf(['a1', 'a2', 'b1']);
    const store = memoryStore();
    const parked = claimRequest('orders#v1:a2');
    await store.acquire([claimRequest('orders#v1:a1'), parked]);
    await store.settle([settlementOf('park', parked)]);
    const { messages } = await redriveDeadLetters(sqs, {
      queueUrl: QUEUE_URL,
      admin: store,
      key: ({ messageId }) => `orders#v1:${messageId}`,
      which: 'all',
      ...WHO,
    });
    expect(sent).toEqual([['b1']]);
    expect(whysOf(messages)).toEqual({
      a1: 'running',
      a2: 'behind',
      b1: undefined,
    });
    expect((await store.inspect('orders#v1:a2'))?.status).toBe('PARKED');
  });
});
