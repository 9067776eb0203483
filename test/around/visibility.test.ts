import type { SQS } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BatchRecord,
  type RecordOutcome,
  backoff,
  deadLetterQueue,
  decoder,
  type RecordHandler,
  RetryLaterError,
  runWithoutClaim,
  type SqsClient,
  type BackoffOptions,
  heartbeat,
} from 'batchlatch';
import { type SqsMessage, sqsEvent } from 'batchlatch/testing';
import type { Attempt } from '../../src/attempts/attempt.ts';
import { redeliveryDelayMs } from '../../src/around/backoff.ts';
import { type EmulatedQueue, emulatedQueues } from '../support/emulated-queues.ts';
import { until } from '../support/until.ts';
import { bench, failed, fifo, inTime, messages } from '../batch/bench.ts';

const queues = emulatedQueues();
let queue: EmulatedQueue;
let timeouts: Map<string, number>;
let requests: number;

/** A client that takes everything and notes it as `noted` does. */
function recorder(): SqsClient {
  return noted({ changeMessageVisibilityBatch: async () => ({}), sendMessage: async () => ({}) } as never);
}

/** A client of the emulator that notes how long each message is to stay invisible, by receipt handle. */
function noted(sqs: SQS): SqsClient {
  timeouts = new Map();
  requests = 0;
  return {
    async changeMessageVisibilityBatch(input, options) {
      requests += 1;
      for (const { ReceiptHandle, VisibilityTimeout } of input.Entries)
        timeouts.set(ReceiptHandle, VisibilityTimeout);
      return sqs.changeMessageVisibilityBatch(input, options);
    },
    sendMessage: (input, options) => sqs.sendMessage(input, options),
  };
}

const failing: RecordHandler = () => {
  throw new Error('no');
};

describe('visibility', () => {
  beforeEach(async () => {
    queue = await queues.create();
  });

  it('backs off from what cannot be decoded now', async () => {
    const event = sqsEvent([{ messageId: 'a', body: 'x', receiveCount: 3 }]);
    const decode = (): never => {
      throw new Error('S3 does not answer');
    };
    const sqs = recorder();
    const answer = await bench().processor(() => 'done', {
      sqs,
      visibility: backoff(),
      decode: decoder(decode),
    })(event);
    expect(failed(answer)).toEqual(['a']);
    expect([...timeouts.keys()]).toEqual([event.Records[0]?.receiptHandle]);
  });

  it('shows a failed message again after its back-off, on the queue itself', async () => {
    await queue.send({ id: 'a' });
    const event = await queue.receive();
    const b = bench();
    const answer = await b.processor(failing, {
      sqs: noted(queues.sqs),
      queueUrl: queue.queueUrl,
      visibility: backoff({ baseDelayMs: 1 }),
    })(event);
    expect(failed(answer)).toHaveLength(1);
    // Without the change it would stay invisible for 30 seconds.
    let again = await queue.receive();
    await until('the message is visible again', async () => {
      if (again.Records.length === 0) again = await queue.receive();
      return again.Records.length === 1;
    });
    expect(again.Records[0]?.attributes.ApproximateReceiveCount).toBe('2');
  });

  it('asks for nothing where all is done, and in groups of ten where not', async () => {
    for (let index = 0; index < 10; index += 1) await queue.send({ index });
    const done = await queue.receive();
    const b = bench();
    const options = { sqs: noted(queues.sqs), queueUrl: queue.queueUrl, visibility: backoff() } as const;
    await b.processor(() => undefined, options)(done);
    expect(requests).toBe(0);
    const copies = ['x', 'y', 'z'].flatMap((copy) =>
      done.Records.map((record) => ({ ...record, messageId: `${record.messageId}-${copy}` })),
    );
    await b.processor(failing, options)({ Records: copies });
    expect(requests).toBe(3);
  });

  it('waits for what is left of the other lease after a conflict, and uses up no receive before', async () => {
    const b = bench();
    await b.occupy('a');
    await b.run(() => undefined, ['a'], {
      sqs: noted(queues.sqs),
      queueUrl: queue.queueUrl,
      visibility: backoff(),
    });
    const [timeout] = timeouts.values();
    expect(timeout).toBeGreaterThanOrEqual(60);
    expect(timeout).toBeLessThanOrEqual(61);
  });

  it('waits as long with the duplicates of a record whose handler was left running', async () => {
    const b = bench();
    const answer = b.processor(() => new Promise<never>(() => undefined), {
      sqs: recorder(),
      visibility: backoff(),
      key: () => 'one',
      recordTimeoutMs: 1_000,
    })(messages('a', 'b'), b.lambda(30_000));
    await b.clock.advance(29_000);
    expect(failed(await answer)).toEqual(['a', 'b']);
    const [ofLeader = 0, ofDuplicate = 0] = [...timeouts.values()];
    expect(ofLeader).toBeGreaterThan(25);
    expect(ofDuplicate).toBeGreaterThan(25);
  });

  it.each<[string, RecordHandler, number]>([
    ['by its back-off', failing, 2],
    [
      'as its handler asked',
      () => {
        throw new RetryLaterError({ delayMs: 7_000 });
      },
      7,
    ],
  ])(
    'shows what failed without a claim again %s: there is no lease to wait for',
    async (_, handler, most) => {
      const b = bench();
      const store = { ...b.store, acquire: () => Promise.reject(new Error('no connection')) };
      const options = { store, onStoreError: runWithoutClaim(), sqs: recorder() } as const;
      const visibility = backoff({ baseDelayMs: 2_000, maxDelayMs: 2_000 });
      await inTime(
        b.clock,
        b.processor(handler, { ...options, visibility })(messages('a'), b.lambda(300_000)),
      );
      const [timeout] = timeouts.values();
      expect(timeout).toBeLessThanOrEqual(most);
      expect(timeout).toBeGreaterThanOrEqual(most === 7 ? 7 : 0);
    },
  );

  it('keeps to the delays that are given', async () => {
    const sqs = recorder();
    const visibility = backoff({ baseDelayMs: 40_000, maxDelayMs: 50_000 });
    const handle = bench().processor(failing, { sqs, visibility, concurrency: 100 });
    const records = (receiveCount: number): SqsMessage[] =>
      Array.from({ length: 100 }, (_, n) => ({ messageId: `${receiveCount}-${n}`, body: {}, receiveCount }));
    await handle(sqsEvent(records(1)));
    const first = [...timeouts.values()];
    expect(Math.max(...first)).toBeGreaterThan(20);
    expect(Math.max(...first)).toBeLessThanOrEqual(40);
    timeouts.clear();
    await handle(sqsEvent(records(5)));
    expect(Math.max(...timeouts.values())).toBeGreaterThan(40);
    expect(Math.max(...timeouts.values())).toBeLessThanOrEqual(50);
  });

  it('does as a RetryLaterError says, rounded up to seconds, and ends within 12 hours of the receive', async () => {
    const b = bench();
    const sqs = noted(queues.sqs);
    for (const [delayMs, seconds] of [
      [0, 0],
      [1, 1],
      [90_500, 91],
      [10 ** 9, 39_600],
    ] as const) {
      await b.run(
        () => {
          throw new RetryLaterError({ delayMs });
        },
        [`later-${delayMs}`],
        { sqs, queueUrl: queue.queueUrl, visibility: backoff() },
      );
      expect([...timeouts.values()].at(-1)).toBe(seconds);
    }
    expect((await b.claim('later-0'))?.status).toBe('FAILED');
  });

  it.each([-1, Number.NaN, '5'])('refuses %p for a delay', (delayMs) => {
    expect(() => new RetryLaterError({ delayMs: delayMs as number })).toThrow('`delayMs`');
  });

  it('retries a RetryLaterError also where `retryable` says no', async () => {
    const b = bench();
    const later: RecordHandler = () => {
      throw new RetryLaterError({ delayMs: 1 });
    };
    await b.run(later, ['a'], { retryable: () => false });
    expect((await b.claim('a'))?.status).toBe('FAILED');
  });

  it('gives the rest of a FIFO group the delay of the message that failed', async () => {
    const b = bench();
    const handler: RecordHandler = ({ id }) => {
      if (id === 'a2' || id === 'b1') throw new RetryLaterError({ delayMs: id === 'a2' ? 7_000 : 9_000 });
    };
    const event = fifo('a1', 'b1', 'a2', 'a3', 'b2');
    const sqs = recorder();
    const answer = await b.processor(handler, { sqs, visibility: backoff() })(event);
    expect(failed(answer)).toEqual(['b1', 'a2', 'a3', 'b2']);
    const handles = event.Records.map(({ receiptHandle }) => receiptHandle);
    expect([...timeouts]).toEqual([
      [handles[1], 9],
      [handles[2], 7],
      [handles[3], 7],
      [handles[4], 9],
    ]);
  });

  it('never fails a record when SQS does not do as it is asked', async () => {
    const b = bench();
    const sqs: SqsClient = {
      changeMessageVisibilityBatch: async ({ Entries }) => ({
        Failed: [{ Id: Entries[0]?.Id, Code: 'ReceiptHandleIsInvalid', Message: 'expired' }],
      }),
      sendMessage: async () => undefined,
    };
    const failingIn =
      (id: string): RecordHandler =>
      (record) => {
        if (record.id === id) throw new Error('no');
      };
    expect(await b.run(failingIn('a'), ['a', 'b'], { sqs, visibility: backoff() })).toEqual(['a']);
    expect(b.eventsOf('visibilityNotChanged')).toMatchObject([
      { recordId: 'a', error: { message: expect.stringContaining('ReceiptHandleIsInvalid') } },
    ]);

    sqs.changeMessageVisibilityBatch = async () => {
      throw new Error('socket hang up');
    };
    expect(await b.run(failingIn('c'), ['c', 'd'], { sqs, visibility: backoff() })).toEqual(['c']);
    expect(
      await b.run(failingIn('e'), ['e'], {
        sqs,
        visibility: backoff(),
        queueUrl: () => {
          throw new Error('unknown queue');
        },
      }),
    ).toEqual(['e']);
    expect(b.eventsOf('visibilityNotChanged').map(({ recordId }) => recordId)).toEqual(['a', 'c', 'e']);
  });

  it("tells AWS's URL from the ARN, and says what to do about another ARN", async () => {
    const urls: string[] = [];
    const sqs: SqsClient = {
      changeMessageVisibilityBatch: async ({ QueueUrl }) => {
        urls.push(QueueUrl);
        return {};
      },
      sendMessage: async () => undefined,
    };
    const b = bench();
    await b.run(failing, ['a'], { sqs, visibility: backoff() });
    const event = sqsEvent([
      { body: 'b', messageId: 'b' },
      { body: 'c', messageId: 'c' },
    ]);
    event.Records[0]!.eventSourceARN = 'arn:aws-cn:sqs:cn-north-1:123456789012:orders';
    event.Records[1]!.eventSourceARN = 'orders';
    expect(failed(await b.processor(failing, { sqs, visibility: backoff() })(event))).toEqual(['b', 'c']);
    expect(urls).toEqual([
      'https://sqs.us-east-1.amazonaws.com/123456789012/orders',
      'https://sqs.cn-north-1.amazonaws.com.cn/123456789012/orders',
    ]);
    expect(b.eventsOf('visibilityNotChanged')).toMatchObject([
      { recordId: 'c', error: { message: expect.stringContaining('queueUrl') } },
    ]);
  });

  it.each([
    ['AWS_ENDPOINT_URL_SQS', 'AWS_ENDPOINT_URL'],
    ['AWS_ENDPOINT_URL', 'UNUSED'],
  ])('never leaves for AWS where %s names an emulator', async (name, other) => {
    process.env[name] = 'http://127.0.0.1:9324';
    process.env[other] = 'http://127.0.0.1:1';
    try {
      const urls: string[] = [];
      const sqs: SqsClient = {
        changeMessageVisibilityBatch: async ({ QueueUrl }) => {
          urls.push(QueueUrl);
          return {};
        },
        sendMessage: async () => undefined,
      };
      await bench().run(failing, ['a'], { sqs, visibility: backoff() });
      expect(urls).toEqual(['http://127.0.0.1:9324/123456789012/orders']);
    } finally {
      for (const variable of [name, other]) Reflect.deleteProperty(process.env, variable);
    }
  });

  it('needs `sqs`', () => {
    expect(() => bench().processor(failing, { visibility: backoff() })).toThrow('new SQS()');
    expect(() =>
      bench().processor(failing, { deadLetter: deadLetterQueue({ url: queue.queueUrl }) }),
    ).toThrow('new SQS()');
  });

  it.each([
    [{ baseDelayMs: 0 }, 'backoff: Expected `baseDelayMs` to be an integer from 1 up, got `0` (number)'],
    [{ jitter: 1 }, 'backoff: Unknown option `jitter`; known options are baseDelayMs, maxDelayMs'],
    [false, 'backoff: Expected the options to be an object, got `false` (boolean)'],
  ])('refuses %p', (options, message) => {
    expect(() => backoff(options as BackoffOptions)).toThrow(message);
  });

  it.each([true, {}, heartbeat()])('refuses in its place %p', (visibility) => {
    const options = { visibility: visibility as never, sqs: queues.sqs };
    expect(() => bench().processor(failing, options)).toThrow(
      'Expected `visibility` to be the result of backoff(), got',
    );
  });

  it('shows at once what the deadline kept from starting', async () => {
    const b = bench();
    const lambda = b.lambda(2_000);
    const invocation = b.processor(
      ({ id }, { signal }) =>
        id === 'a' &&
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
      {
        sqs: noted(queues.sqs),
        queueUrl: queue.queueUrl,
        visibility: backoff(),
        concurrency: 1,
        clock: b.clock,
      },
    )(
      sqsEvent([
        { body: 1, messageId: 'a' },
        { body: 2, messageId: 'b' },
      ]),
      lambda,
    );
    await b.told('started', 'a');
    await b.clock.advance(1_000);
    expect(failed(await invocation)).toEqual(['a', 'b']);
    expect([...timeouts.values()][1]).toBe(0);
  });
});

/** What the ledger says of a record. */
interface Known {
  readonly outcome?: RecordOutcome;
  readonly record?: BatchRecord;
  readonly attempt?: Pick<Attempt, 'isOpen' | 'leaseUntil'>;
}

describe('the back-off of failures', () => {
  const hasFailed: RecordOutcome = { status: 'failed', error: new Error('no') };
  const options = { baseDelayMs: 1_000, maxDelayMs: 60_000 };
  const ledger = (known: Known): Parameters<typeof redeliveryDelayMs>[2]['ledger'] =>
    ({ outcomeOf: () => known.outcome, attemptOf: () => known.attempt }) as never;
  const delay = (known: Known, random = 0.5, now = 0): number =>
    redeliveryDelayMs({ record: known.record } as never, options, {
      ledger: ledger(known),
      random: () => random,
      time: { clock: { now: () => now } } as never,
    });
  const delayOf = (receiveCount: number, random: number): number =>
    delay({ outcome: hasFailed, record: { source: 'sqs', receiveCount } as never }, random);

  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [6, 32_000],
    [7, 60_000],
    [1_000, 60_000],
  ])('receive %d is drawn from 0 to %d ms', (receiveCount, bound) => {
    expect(delayOf(receiveCount, 0)).toBe(0);
    expect(delayOf(receiveCount, 0.5)).toBe(bound / 2);
    expect(delayOf(receiveCount, 1)).toBe(bound);
  });

  it('waits for the lease of a handler that was left running', () => {
    const left = { outcome: hasFailed, attempt: { isOpen: true, leaseUntil: 7_000 } };
    expect(delay(left, 0, 2_000)).toBe(5_000);
    expect(delay(left, 0.5, 9_000)).toBe(500);
  });

  it.each<[unknown]>([[-1], ['5000'], [undefined], [Number.NaN]])(
    'takes no delay of %p from an error that only looks like a RetryLaterError',
    (delayMs) => {
      const error = Object.assign(new Error('later'), { code: 'BATCHLATCH_RETRY_LATER', delayMs });
      expect(delay({ outcome: { status: 'failed', error } })).toBe(500);
    },
  );

  it('also counts for what has no outcome, and for what stands behind a failure', () => {
    expect(delay({})).toBe(500);
    expect(delay({ outcome: { status: 'not-started', reason: 'order' } })).toBe(500);
    expect(delay({ outcome: { status: 'not-started', reason: 'deadline' } })).toBe(0);
  });

  it('is not what a parked record once asked for', () => {
    const error = new RetryLaterError({ delayMs: 9_000 });
    expect(delay({ outcome: { status: 'parked', error } })).toBe(500);
    expect(delay({ outcome: { status: 'failed', error } })).toBe(9_000);
  });
});
