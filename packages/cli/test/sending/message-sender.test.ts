import { describe, expect, it } from '@jest/globals';
import { messageSender } from '../../src/sending/message-sender.ts';
import type { SendingSqs } from '../../src/sending/queue-sender.ts';

const URL_OF = (name: string): string => `http://127.0.0.1:9324/000000000000/${name}`;

/** Answers each request with the next of these. */
function answering(...answers: readonly (object | Error)[]) {
  const requests: { Entries: object[] }[] = [];
  const sqs: SendingSqs = {
    async sendMessageBatch(input) {
      const answer = answers[requests.push(input) - 1] ?? {};
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { sender: messageSender(sqs, async () => undefined), requests };
}

describe('one message', () => {
  it('is sent as it is, though it is no JSON', async () => {
    const { sender, requests } = answering();
    expect(await sender.send({ queueUrl: URL_OF('orders'), body: 'a text' })).toEqual({ mayBeTwice: false });
    expect(requests[0]?.Entries).toEqual([{ Id: '0', MessageBody: 'a text' }]);
  });

  it('has its group, and an id of its body, in a FIFO queue', async () => {
    const { sender, requests } = answering();
    await sender.send({ queueUrl: URL_OF('orders.fifo'), body: '{}', groupId: 'c-1' });
    const MessageDeduplicationId = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(requests[0]?.Entries).toEqual([
      { Id: '0', MessageBody: '{}', MessageGroupId: 'c-1', MessageDeduplicationId },
    ]);
    expect(sender.problemOf({ queueUrl: URL_OF('orders.fifo'), body: '{}' })).toMatch(/message group/);
    expect(sender.problemOf({ queueUrl: URL_OF('orders'), body: '{}', dedupId: 'x' })).toMatch(/FIFO/);
  });

  it('may be there twice after a request without an answer', async () => {
    const lost = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    const { sender, requests } = answering(lost);
    expect(await sender.send({ queueUrl: URL_OF('orders'), body: '{}' })).toEqual({ mayBeTwice: true });
    expect(requests).toHaveLength(2);
  });

  it('is an error where SQS refuses it', async () => {
    const Failed = [{ Id: '0', Code: 'InvalidMessageContents', Message: 'a bad one', SenderFault: true }];
    const { sender } = answering({ Failed });
    await expect(sender.send({ queueUrl: URL_OF('orders'), body: '{}' })).rejects.toThrow(
      'SQS refused the message: InvalidMessageContents a bad one',
    );
  });
});
