import { describe, expect, it } from '@jest/globals';
import { BatchlatchError } from 'batchlatch';
import { createSender, SendError } from 'batchlatch/sender';
import { networkError, unconnectedError } from '../../src/aws/network-errors.ts';
import { notes, orders, placed } from './messages.ts';
import { fastClock } from '../support/fast-clock.ts';
import { scriptedTarget, TAKEN } from './scripted-target.ts';

const target = scriptedTarget();
/** Five seconds, by a clock that goes faster. */
const PATIENT = { deadlineMs: 100_000 };

function noteSender() {
  return createSender(notes, { queueUrl: target.queueUrl }, { clock: fastClock(20) });
}

function textsOf(count: number): { type: 'NoteTaken'; body: { text: string } }[] {
  return Array.from({ length: count }, (_, index) => ({ type: 'NoteTaken', body: { text: `n${index}` } }));
}

describe('a sender', () => {
  it('sends a batch of ten and keeps the rest for the next request', async () => {
    const { sent } = await noteSender().sendAll(textsOf(25));
    expect(sent).toHaveLength(25);
    expect(target.requests.map(({ length }) => length)).toEqual([10, 10, 5]);
  });

  it('lets concurrent calls share a request', async () => {
    const sender = noteSender();
    await Promise.all(textsOf(7).map(({ type, body }) => sender.send(type, body)));
    expect(target.requests).toHaveLength(1);
  });

  it('fills requests up to the limit of bytes, attributes counted', async () => {
    const sender = createSender(notes, { queueUrl: target.queueUrl }, { maxMessageBytes: 2_048 });
    // 11 bytes are JSON, 19 the attribute `type`: two fit, three do not.
    const all = Array.from({ length: 4 }, () => ({
      type: 'NoteTaken' as const,
      body: { text: 'x'.repeat(994) },
    }));
    expect((await sender.sendAll(all)).sent).toHaveLength(4);
    expect(target.requests.map(({ length }) => length)).toEqual([2, 2]);
    await sender.sendAll(all.map(({ type }) => ({ type, body: { text: 'x'.repeat(995) } })));
    expect(target.requests.slice(2).map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  });

  it('sends throttled entries again, alone of their request', async () => {
    target.script((nth) =>
      nth === 0 ? { entries: ({ Id }) => (Id === '1' ? 'throttled' : 'taken') } : TAKEN,
    );
    const { sent } = await noteSender().sendAll(textsOf(3), PATIENT);
    expect(sent).toHaveLength(3);
    expect(target.requests.map((entries) => entries.map(({ MessageBody }) => MessageBody))).toEqual([
      ['{"text":"n0"}', '{"text":"n1"}', '{"text":"n2"}'],
      ['{"text":"n1"}'],
    ]);
  });

  it.each([
    [400, 'RequestThrottled'],
    [503, 'ServiceUnavailable'],
  ])('sends a throttled request again (%i %s)', async (status, error) => {
    target.script((nth) => (nth < 2 ? { status, error } : TAKEN));
    await noteSender().send('NoteTaken', { text: 'a' }, PATIENT);
    expect(target.requests).toHaveLength(3);
  });

  it('says that a refused entry failed, and sends it once', async () => {
    target.script(() => ({ entries: ({ Id }) => (Id === '0' ? 'refused' : 'taken') }));
    const all = textsOf(2);
    const { sent, failed } = await noteSender().sendAll(all, PATIENT);
    expect(sent).toEqual([all[1]]);
    expect(failed).toEqual([{ message: all[0], error: expect.any(SendError), isRetryable: false }]);
    expect(failed[0]?.error.message).toContain('InvalidMessageContents');
    expect(target.requests).toHaveLength(1);
  });

  it('finds the message for which a whole request was refused, and sends the others', async () => {
    target.script((_, entries) => {
      const isBad = entries.some(({ MessageBody }) => MessageBody.includes('n3'));
      return isBad ? { status: 400, error: 'InvalidParameterValue' } : TAKEN;
    });
    const all = textsOf(10);
    const { sent, failed } = await noteSender().sendAll(all, PATIENT);
    expect(sent).toHaveLength(9);
    expect(failed).toMatchObject([{ message: all[3], isRetryable: false }]);
  });

  it('refuses all where the queue does not exist', async () => {
    target.script(() => ({ status: 400, error: 'QueueDoesNotExist' }));
    await expect(noteSender().send('NoteTaken', { text: 'a' })).rejects.toMatchObject({
      code: 'BATCHLATCH_SEND',
      isRetryable: false,
      isUnknown: false,
      message: expect.stringContaining('QueueDoesNotExist'),
    });
  });

  it.each(['lost', 'unanswered'] as const)(
    'does not know, and does not send again, if a standard queue hangs up (%s)',
    async (fate) => {
      target.script(() => fate);
      const all = textsOf(2);
      const report = await noteSender().sendAll(all, PATIENT);
      expect(report).toMatchObject({
        sent: [],
        failed: [],
        unknown: [{ message: all[0] }, { message: all[1] }],
      });
      expect(target.requests).toHaveLength(1);
    },
  );

  it('does not know about a message that the answer leaves out', async () => {
    target.script(() => ({ entries: ({ Id }) => (Id === '1' ? 'omitted' : 'taken') }));
    const all = textsOf(2);
    const { sent, unknown } = await noteSender().sendAll(all);
    expect(sent).toEqual([all[0]]);
    expect(unknown).toMatchObject([{ message: all[1], error: { isUnknown: true } }]);
  });

  it('does not know after an internal error', async () => {
    target.script(() => ({ status: 500, error: 'InternalError' }));
    await expect(noteSender().send('NoteTaken', { text: 'a' })).rejects.toMatchObject({ isUnknown: true });
  });

  it('knows that nothing arrived where nobody listens', async () => {
    const sender = createSender(notes, { queueUrl: 'http://127.0.0.1:1/0/q' });
    await expect(sender.send('NoteTaken', { text: 'a' }, { deadlineMs: 1_000 })).rejects.toMatchObject({
      isUnknown: false,
      isRetryable: true,
    });
  });

  it.each([
    unconnectedError(2_500),
    networkError(
      Object.assign(new Error('connect ETIMEDOUT 10.0.0.1:443'), { code: 'ETIMEDOUT' }),
      { socket: null, reusedSocket: false },
      false,
    ),
    Object.assign(
      new Error(
        '@smithy/node-http-handler - the request socket did not establish a connection with the server ' +
          'within the configured timeout of 2500 ms.',
      ),
      { name: 'TimeoutError', $metadata: { attempts: 1 } },
    ),
  ])('sends again what found no connection in time: %s', async (unconnected) => {
    let requests = 0;
    const client = {
      sendMessageBatch: ({ Entries }: { Entries: { Id: string }[] }) => {
        requests += 1;
        return requests === 1 ? Promise.reject(unconnected) : Promise.resolve({ Successful: Entries });
      },
    };
    const sender = createSender(notes, { queueUrl: target.queueUrl, client }, { clock: fastClock(20) });
    expect((await sender.sendAll(textsOf(2), PATIENT)).sent).toHaveLength(2);
    expect(requests).toBe(2);
  });

  it('knows that nothing was sent where the commands of a given client are not installed', async () => {
    const notFound = new BatchlatchError('BATCHLATCH_SDK_NOT_FOUND', 'No @aws-sdk/client-sqs');
    const client = { sendMessageBatch: () => Promise.reject(notFound) };
    await expect(
      createSender(notes, { queueUrl: target.queueUrl, client }).send('NoteTaken', { text: 'a' }),
    ).rejects.toMatchObject({ isUnknown: false, isRetryable: false, cause: notFound });
  });

  it('gives up a storage for large bodies that never answers, whatever it does with the signal', async () => {
    const large = { put: () => new Promise<string>(() => undefined) };
    const options = { maxMessageBytes: 1_024, large, clock: fastClock(1_000) };
    const sender = createSender(notes, { queueUrl: target.queueUrl }, options);
    await expect(
      sender.send('NoteTaken', { text: 'x'.repeat(1_024) }, { deadlineMs: 1_000_000 }),
    ).rejects.toMatchObject({
      isRetryable: true,
      message: expect.stringContaining('could not be stored'),
      cause: { message: 'The storage did not answer in 30 seconds' },
    });
  });

  it('does not know at the deadline what is in a request, and fails what waits for one', async () => {
    target.script(() => 'silent');
    const sender = createSender(orders, { queueUrl: target.fifoUrl });
    const all = [placed('o1'), placed('o2')];
    const report = await sender.sendAll(all, { deadlineMs: 200 });
    expect(report).toMatchObject({
      sent: [],
      unknown: [{ message: all[0], error: { isUnknown: true } }],
      failed: [{ message: all[1], isRetryable: true }],
    });
  });

  it('ends with its signal', async () => {
    target.script(() => 'silent');
    const stop = new AbortController();
    const sending = noteSender().sendAll(textsOf(1), { signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    expect((await sending).unknown).toHaveLength(1);
    const late = await noteSender().sendAll(textsOf(1), { signal: stop.signal });
    expect(late).toMatchObject({ failed: [{ isRetryable: true }] });
  });

  it('fails a body that does not fit, and sends the others', async () => {
    const all = [{ type: 'NoteTaken', body: { text: 7 } }, ...textsOf(1)] as ReturnType<typeof textsOf>;
    const { sent, failed } = await noteSender().sendAll(all);
    expect(sent).toHaveLength(1);
    expect(failed).toMatchObject([{ error: { code: 'BATCHLATCH_INVALID_MESSAGE' }, isRetryable: false }]);
  });

  it('fails a message with a group that SQS refuses, and sends the others', async () => {
    const sender = createSender(orders, { queueUrl: target.queueUrl });
    const { sent, failed } = await sender.sendAll([
      placed('o1', 'Zürich'),
      placed('o2', 'x'.repeat(129)),
      placed('o3'),
    ]);
    expect(sent).toHaveLength(1);
    expect(failed).toMatchObject([{ isRetryable: false }, { isRetryable: false }]);
    expect(target.requests).toMatchObject([[{ MessageGroupId: 't1' }]]);
  });

  it('escapes what SQS does not take in a body', async () => {
    await noteSender().send('NoteTaken', { text: 'a\uFFFE\uFFFFb' });
    expect(target.taken[0]?.MessageBody).toBe('{"text":"a\\ufffe\\uffffb"}');
  });

  it('rejects at once if its trace context throws', async () => {
    const trace = () => {
      throw new Error('No tracer');
    };
    const sender = createSender(notes, { queueUrl: target.queueUrl }, { trace });
    await expect(sender.send('NoteTaken', { text: 'a' })).rejects.toThrow('No tracer');
    await expect(sender.sendAll(textsOf(1))).rejects.toThrow('No tracer');
  });

  it('fails a message that is no object, and sends the others', async () => {
    const all = [null, ...textsOf(1)] as ReturnType<typeof textsOf>;
    expect(await noteSender().sendAll(all)).toMatchObject({ sent: [all[1]], failed: [{ message: null }] });
  });

  it('says what happens to each message, though the caller empties its list meanwhile', async () => {
    target.script(() => ({ entries: ({ Id }) => (Id === '0' ? 'refused' : 'taken') }));
    const all = textsOf(2);
    const [first, second] = all;
    const sending = noteSender().sendAll(all);
    all.length = 0;
    expect(await sending).toMatchObject({ sent: [second], failed: [{ message: first }] });
  });

  it('says what happens to no message at all', async () => {
    expect(await noteSender().sendAll([])).toEqual({ sent: [], failed: [], unknown: [] });
  });
});
