import { describe, expect, it } from '@jest/globals';
import type { SendMessageBatchCommandInput, SendMessageBatchCommandOutput } from '@aws-sdk/client-sqs';
import { manualClock } from 'batchlatch/testing';
import { busSender } from '../../src/cli/send/bus-sender.ts';
import { type Outgoing, outgoing } from '../../src/sending/outgoing.ts';
import type { OutgoingEvent } from '../../src/cli/send/outgoing-event.ts';
import { queueSender } from '../../src/sending/queue-sender.ts';
import { sendBatch, type SentBatch } from '../../src/sending/send-batch.ts';
import { sendLines } from '../../src/cli/send/send-lines.ts';

/** What SQS answers to a request, or throws: faults that no emulator makes. */
type Answer = (bodies: readonly string[]) => Partial<SendMessageBatchCommandOutput>;

const messages: Outgoing[] = [1, 2, 3].map((line) => ({
  line,
  body: `m${line}`,
  bytes: 2,
  groupId: undefined,
  dedupId: undefined,
}));

async function sent(...answers: Answer[]): Promise<{ result: SentBatch; requests: string[][] }> {
  const requests: string[][] = [];
  const sqs = {
    sendMessageBatch: ({ Entries = [] }: SendMessageBatchCommandInput) => {
      const bodies = Entries.map(({ MessageBody = '' }) => MessageBody);
      requests.push(bodies);
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      return Promise.resolve().then(() => answer?.(bodies));
    },
  };
  const sender = queueSender({ sqs: sqs as never, queueUrl: 'q', delaySeconds: undefined }, () =>
    Promise.resolve(),
  );
  return { result: await sendBatch(messages, sender), requests };
}

const taken: Answer = () => ({ Failed: [] });
const failing =
  (Id: string, SenderFault: boolean): Answer =>
  () => ({ Failed: [{ Id, Code: 'C', Message: 'why', SenderFault }] });
const throwing =
  (name: string, members: object = {}): Answer =>
  () => {
    throw Object.assign(new Error(name), { name, ...members });
  };
const status = (httpStatusCode: number): object => ({ $metadata: { httpStatusCode } });

describe('A batch that is sent', () => {
  it('is sent again where SQS failed by itself, those messages alone', async () => {
    const { result, requests } = await sent(failing('1', false), taken);
    expect(requests).toEqual([['m1', 'm2', 'm3'], ['m2']]);
    expect(result).toEqual({ sent: 3, refused: [], repeated: 0 });
  });

  it('tells what SQS refuses for good, by its line', async () => {
    const { result, requests } = await sent(failing('1', true));
    expect(requests).toHaveLength(1);
    expect(result).toMatchObject({ sent: 2, refused: [{ message: { line: 2 }, code: 'C', reason: 'why' }] });
  });

  it('gives up a message that SQS fails on again and again, and no other', async () => {
    const { result, requests } = await sent(failing('2', false), failing('0', false));
    expect(requests).toHaveLength(5);
    expect(result).toMatchObject({ sent: 2, refused: [{ message: { line: 3 } }] });
    expect(result.fatal).toBeUndefined();
  });

  it.each([
    ['ThrottlingException', status(400), 0],
    ['ServiceUnavailable', status(503), 0],
    ['InternalFailure', status(500), 3],
    ['TimeoutError', {}, 3],
    ['Error', { code: 'ECONNRESET' }, 3],
    ['Error', { code: 'ECONNREFUSED' }, 0],
  ])('is sent again after %s', async (name, members, repeated) => {
    const { result, requests } = await sent(throwing(name, members), taken);
    expect(requests).toHaveLength(2);
    expect(result).toEqual({ sent: 3, refused: [], repeated });
  });

  it.each([
    ['AccessDenied', status(403), 1],
    ['CredentialsProviderError', {}, 1],
    ['Error', { code: 'ECONNREFUSED' }, 5],
  ])('ends everything after %s', async (name, members, requested) => {
    const { result, requests } = await sent(throwing(name, members));
    expect(requests).toHaveLength(requested);
    expect(result).toMatchObject({ sent: 0, fatal: { message: name } });
    expect(result.refused.map(({ message }) => message.line)).toEqual([1, 2, 3]);
  });

  it('may have been taken where no request was answered, and was not where the service refused it', async () => {
    const reasonsOf = ({ refused }: SentBatch) => [...new Set(refused.map(({ reason }) => reason))];
    const lost = await sent(throwing('TimeoutError'));
    expect(reasonsOf(lost.result)).toEqual(['its request got no answer: it may have been taken']);
    const throttled = await sent(throwing('ThrottlingException', status(400)));
    expect(reasonsOf(throttled.result)).toEqual(['nothing of its request was taken']);
    const lostThenThrottled = await sent(
      throwing('TimeoutError'),
      throwing('ThrottlingException', status(400)),
    );
    expect(reasonsOf(lostThenThrottled.result)).toEqual([
      'its request got no answer: it may have been taken',
    ]);
  });

  it('counts all that a lost request may have brought twice, though few are sent a third time', async () => {
    const { result } = await sent(
      throwing('TimeoutError'),
      failing('1', false),
      throwing('TimeoutError'),
      taken,
    );
    expect(result).toEqual({ sent: 3, refused: [], repeated: 3 });
  });

  it('is cut in halves for a service that takes less in a request', async () => {
    const answer: Answer = (bodies) =>
      bodies.length > 1 ? throwing('BatchRequestTooLong', status(400))(bodies) : taken(bodies);
    const { result, requests } = await sent(answer);
    expect(requests.filter(({ length }) => length === 1)).toEqual([['m1'], ['m2'], ['m3']]);
    expect(result).toEqual({ sent: 3, refused: [], repeated: 0 });
  });

  it('ends with the first half of one that is too long if SQS refuses that half', async () => {
    const tooLong = throwing('BatchRequestTooLong', status(400));
    const { result, requests } = await sent(tooLong, throwing('AccessDenied', status(403)), taken);
    expect(requests).toEqual([
      ['m1', 'm2', 'm3'],
      ['m1', 'm2'],
    ]);
    expect(result).toMatchObject({
      sent: 0,
      refused: [1, 2, 3].map((line) => ({ message: { line }, code: 'AccessDenied' })),
      fatal: { name: 'AccessDenied' },
    });
  });
});

describe('Events that are sent', () => {
  const events: OutgoingEvent[] = [1, 2, 3].map((line) => ({
    line,
    bytes: 10,
    entry: { Source: 'shop', DetailType: `Placed${line}`, Detail: '{}' },
  }));
  type Entries = { ErrorCode?: string; ErrorMessage?: string }[];

  async function put(...answers: (() => Entries)[]): Promise<{ result: SentBatch; requests: unknown[][] }> {
    const requests: unknown[][] = [];
    const sender = busSender(
      {
        bus: 'shop',
        putEvents: async ({ Entries: entries = [] }) => {
          requests.push(entries.map(({ DetailType, EventBusName }) => `${EventBusName} ${DetailType}`));
          return { Entries: answers[Math.min(requests.length, answers.length) - 1]?.() };
        },
      },
      () => Promise.resolve(),
    );
    return { result: await sendBatch(events, sender), requests };
  }

  it('are sent again where EventBridge failed by itself, those alone', async () => {
    const { result, requests } = await put(
      () => [{}, { ErrorCode: 'InternalFailure' }, { ErrorCode: 'ThrottlingException' }],
      () => [{}, {}],
    );
    expect(requests).toEqual([
      ['shop Placed1', 'shop Placed2', 'shop Placed3'],
      ['shop Placed2', 'shop Placed3'],
    ]);
    expect(result).toEqual({ sent: 3, refused: [], repeated: 0 });
  });

  it('are told by their lines where EventBridge refuses them for good', async () => {
    const { result, requests } = await put(() => [
      {},
      { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' },
      {},
    ]);
    expect(requests).toHaveLength(1);
    expect(result).toMatchObject({
      sent: 2,
      refused: [{ message: { line: 2 }, code: 'MalformedDetail', reason: 'Detail is malformed.' }],
    });
  });

  it('do not end the others where one alone is too long', async () => {
    let asked = 0;
    const { result } = await put(() => {
      asked += 1;
      if (asked === 3) return [{}]; // in halves: 1 and 2, of these 1, then 2, then 3
      if (asked === 5) return [{}];
      const message = 'Total size of the entries in the request is over the limit.';
      throw Object.assign(new Error(message), { name: 'ValidationException', ...status(400) });
    });
    expect(asked).toBe(5);
    expect(result).toMatchObject({ sent: 2, refused: [{ message: { line: 2 } }] });
    expect(result.fatal).toBeUndefined();
  });
});

describe('Lines that are sent', () => {
  it('are read no faster than they are sent', async () => {
    let read = 0;
    async function* chunks(): AsyncGenerator<string> {
      for (; read < 1_000_000; read += 100) yield '{"a":1}\n'.repeat(100);
    }
    const stopping = new AbortController();
    const pending: (() => void)[] = [];
    const running = sendLines(
      { name: 'lines', size: undefined, chunks: chunks() },
      {
        messageOf: (line) => outgoing(line, {}, false),
        concurrency: 4,
        clock: manualClock(),
        signal: stopping.signal,
        send: (batch) =>
          new Promise((resolve) =>
            pending.push(() => resolve({ sent: batch.length, refused: [], repeated: 0 })),
          ),
        onProgress: () => undefined,
      },
    );
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(pending).toHaveLength(4);
    expect(read).toBeLessThan(500);
    stopping.abort();
    const ended = setInterval(() => pending.splice(0).forEach((answer) => answer()), 1);
    const { sent: done, lastLine } = await running;
    clearInterval(ended);
    expect(done).toBe(lastLine);
  });
});
