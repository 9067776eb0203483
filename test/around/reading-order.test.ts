import { describe, expect, it } from '@jest/globals';
import {
  type BatchProcessorOptions,
  type BatchRecord,
  type ClaimStore,
  deadLetterQueue,
  type Decoder,
  decoder,
  messageId,
  payloadHash,
  type RecordHandler,
  runWithoutClaim,
  suspectsFirst,
} from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { manualClock, sqsEvent, type SqsMessage } from 'batchlatch/testing';
import { emulatedTable } from '../support/emulated-table.ts';
import { watchRequests } from '../support/sdk-traffic.ts';
import { type Bench, bench, failed, forever, ids } from '../batch/bench.ts';
import { onEachStore, turn, until } from '../batch/on-each-store.ts';

/** A batch of a standard queue, or of a FIFO queue where the message `a2` is of the group `a`. */
function delivery(receiveCount: number, names: readonly string[], fifo = false): ReturnType<typeof sqsEvent> {
  const message = (messageId: string): SqsMessage => ({
    messageId,
    body: { id: messageId },
    receiveCount,
    ...(fifo && { messageGroupId: messageId.charAt(0) }),
  });
  return sqsEvent(names.map(message), { fifo });
}

function decodesBy(decode: Decoder): BatchProcessorOptions {
  return { decode: decoder(decode), reading: suspectsFirst() };
}

/** Notes in which order records are read; one never ends, which is as good as the end of the process. */
function readsAs(read: string[], deadly?: string): BatchProcessorOptions {
  const decode: Decoder = (data, { id }) => {
    read.push(id);
    return id === deadly ? forever() : data;
  };
  return decodesBy(decode);
}

/** Receives a batch and dies while it reads one of its messages. */
async function dieReading(
  b: Bench,
  deadly: string,
  names: readonly string[],
  receiveCount = 2,
  given: BatchProcessorOptions = {},
): Promise<void> {
  const read: string[] = [];
  // Its own clock stands still: nothing of it goes on.
  const options = { ...readsAs(read, deadly), ...given, clock: manualClock() };
  void b.processor(() => 'done', options)(delivery(receiveCount, names));
  await until(() => read.includes(deadly));
  await b.clock.advance(60_000); // its leases lapse
}

const markOf = (b: Bench, id: string): ReturnType<Bench['claim']> =>
  b.store.inspect(b.key(id).replace('#v1:', '#reading-v1:'));

onEachStore((makeStore) => {
  describe('A message that killed the process while it was read', () => {
    it('is left unread when it comes again with others, which are done', async () => {
      const b = bench(makeStore);
      await dieReading(b, 'deadly', ['a', 'deadly', 'b']);
      const read: string[] = [];
      const again = b.processor(() => 'done', readsAs(read, 'deadly'));
      expect(failed(await again(delivery(3, ['a', 'deadly', 'b'])))).toEqual(['deadly']);
      expect(read.toSorted()).toEqual(['a', 'b']);
      expect(b.eventsOf('decodeFailed')).toMatchObject([
        { recordId: 'deadly', error: { code: 'BATCHLATCH_NOT_READ' } },
      ]);
      expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', attempt: 1 });
    });

    it('is the only one to blame: what was read before it, and what was not read yet, is not', async () => {
      const b = bench(makeStore);
      await dieReading(b, 'deadly', ['a', 'deadly', 'b']);
      expect(await markOf(b, 'a')).toMatchObject({ status: 'COMPLETED' });
      await b.processor(() => 'done', readsAs([]))(delivery(3, ['deadly', 'b']));
      expect(await markOf(b, 'deadly')).toMatchObject({ crashes: 1, releases: 1 });
      expect(await markOf(b, 'b')).toMatchObject({ status: 'COMPLETED', crashes: 0 });
    });

    it('is read when it comes without others, and done when the process survives it', async () => {
      const b = bench(makeStore);
      await dieReading(b, 'innocent', ['a', 'innocent']);
      const read: string[] = [];
      const again = b.processor(() => 'done', readsAs(read));
      expect(failed(await again(delivery(3, ['innocent'])))).toEqual([]);
      expect(read).toEqual(['innocent']);
      expect(await markOf(b, 'innocent')).toMatchObject({ status: 'COMPLETED' });
    });

    it('is read with others once it has been left unread three times for their sake', async () => {
      const b = bench(makeStore);
      await dieReading(b, 'innocent', ['innocent']);
      const again = b.processor(() => 'done', readsAs([]));
      for (const round of [3, 4, 5]) {
        expect(failed(await again(delivery(round, ['innocent', `a${round}`])))).toEqual(['innocent']);
      }
      expect(failed(await again(delivery(6, ['innocent', 'a6'])))).toEqual([]);
    });

    it('is read again and again without `maxCrashes`: what could not be said may have been survived', async () => {
      const b = bench(makeStore);
      for (let death = 0; death < 4; death += 1) await dieReading(b, 'innocent', ['innocent']);
      expect(failed(await b.processor(() => 'done', readsAs([]))(delivery(6, ['innocent'])))).toEqual([]);
    });

    it.each([
      ['after three deaths, where `maxCrashes` is less', { maxCrashes: 1 }, 3],
      ['after as many as `maxCrashes` says, where that is more', { maxCrashes: 4 }, 4],
    ])('is invalid, and not read again, %s', async (_when, options, deaths) => {
      const b = bench(makeStore);
      for (let death = 0; death < deaths; death += 1) await dieReading(b, 'deadly', ['deadly'], 2, options);
      const read: string[] = [];
      const sent: unknown[] = [];
      const sqs = {
        changeMessageVisibilityBatch: async () => ({}),
        sendMessage: async (message: unknown) => void sent.push(message),
      };
      const again = b.processor(() => 'done', {
        ...readsAs(read, 'deadly'),
        ...options,
        sqs,
        deadLetter: deadLetterQueue({ url: 'https://sqs.eu-west-1.amazonaws.com/123456789012/dead' }),
      });
      expect(failed(await again(delivery(6, ['a', 'deadly'])))).toEqual([]);
      expect(read).toEqual(['a']);
      expect(b.eventsOf('invalid')).toMatchObject([
        { recordId: 'deadly', error: { code: 'BATCHLATCH_READING_KILLS' } },
      ]);
      expect(sent).toMatchObject([{ MessageBody: '{"id":"deadly"}' }]);
    });

    it('holds back what is behind it in its message group, and no other group', async () => {
      const b = bench(makeStore);
      await dieReading(b, 'a2', ['a2']);
      const runs: string[] = [];
      const again = b.processor(({ id }) => void runs.push(id), readsAs([]));
      expect(failed(await again(delivery(3, ['a1', 'b1', 'a2', 'a3', 'b2'], true)))).toEqual(['a2', 'a3']);
      expect(runs.toSorted()).toEqual(['a1', 'b1', 'b2']);
    });

    it('is left alone while the lease of the process that reads it is live', async () => {
      const b = bench(makeStore);
      const read: string[] = [];
      void b.processor(() => 'done', readsAs(read, 'slow'))(delivery(2, ['slow']));
      await until(() => read.includes('slow'));
      expect(failed(await b.processor(() => 'done', readsAs(read))(delivery(3, ['slow', 'a'])))).toEqual([
        'slow',
      ]);
      expect(read).toEqual(['slow', 'a']);
    });
  });
});

describe('Messages that came again and could kill the process while they are read', () => {
  it('are read before those that come for the first time, and one after the other', async () => {
    let reading = 0;
    let most = 0;
    const read: string[] = [];
    const decode: Decoder = async (data, { id }) => {
      most = Math.max(most, (reading += 1));
      await turn();
      reading -= 1;
      read.push(id);
      if (read.length === 3) most = 0;
      return data;
    };
    const b = bench();
    const event = delivery(1, ['new', 'again1', 'newer', 'again2', 'again3']);
    for (const record of event.Records) {
      if (record.messageId.startsWith('again')) record.attributes.ApproximateReceiveCount = '2';
    }
    expect(failed(await b.processor(() => 'done', decodesBy(decode))(event))).toEqual([]);
    expect(read).toEqual(['again1', 'again2', 'again3', 'new', 'newer']);
    expect(most).toBe(2);
  });

  it('do not wait for one that waits for a service', async () => {
    const b = bench();
    const read: string[] = [];
    void b.processor(() => 'done', readsAs(read, 'hangs'))(delivery(2, ['hangs', 'a', 'b']));
    await until(() => read.includes('hangs'));
    expect(read).toEqual(['hangs']);
    await b.clock.advance(250);
    await until(() => read.includes('b'));
    expect(await markOf(b, 'hangs')).toMatchObject({ status: 'IN_PROGRESS' });
  });

  it('are read side by side, and without a mark, once they have been read', async () => {
    const b = bench();
    const fails: RecordHandler = () => Promise.reject(new Error('declined'));
    const names = ids(5);
    await b.processor(fails, readsAs([]))(delivery(2, names));
    let reading = 0;
    let most = 0;
    const decode: Decoder = async (data) => {
      most = Math.max(most, (reading += 1));
      await turn();
      reading -= 1;
      return data;
    };
    expect(failed(await b.processor(() => 'done', decodesBy(decode))(delivery(3, names)))).toEqual([]);
    expect(most).toBe(5);
  });

  it('are handed back unread, and without a death, when the time is over', async () => {
    const b = bench();
    const read: string[] = [];
    const answer = b.processor(() => 'done', readsAs(read, 'hangs'))(
      delivery(2, ['hangs', 'a']),
      b.lambda(1_100),
    );
    await until(() => read.includes('hangs'));
    await b.clock.advance(1_000);
    expect(failed(await answer)).toEqual(['hangs', 'a']);
    expect(await markOf(b, 'hangs')).toMatchObject({ status: 'FAILED', crashes: 0 });
  });

  it('give back their marks before the answer where the store does not say that they may be read', async () => {
    const b = bench();
    const store = { ...b.store, start: forever };
    const process = b.processor(() => 'done', { ...readsAs([]), store });
    const answer = process(delivery(2, ['m']), b.lambda(4_000));
    await b.clock.advance(3_100);
    expect(failed(await answer)).toEqual(['m']);
    expect(await markOf(b, 'm')).toMatchObject({ status: 'FAILED', releases: 1, crashes: 0 });
  });

  it('leave their marks open for the next delivery where they could not be decoded this time', async () => {
    const b = bench();
    const decode: Decoder = () => Promise.reject(new Error('S3 does not answer'));
    expect(failed(await b.processor(() => 'done', decodesBy(decode))(delivery(2, ['m'])))).toEqual(['m']);
    expect(await markOf(b, 'm')).toMatchObject({ status: 'FAILED', releases: 0, crashes: 0 });
  });

  it('are not blamed any more for a death, once a process has survived them', async () => {
    const b = bench();
    const { acquire, start } = b.store as Required<ClaimStore>;
    const key = b.key('m').replace('#v1:', '#reading-v1:');
    await acquire([{ key, owner: 'dead', leaseMs: 1_000, retentionMs: 3_600_000, recordsStart: true }]);
    await start([{ key, owner: 'dead' }]);
    await b.clock.advance(1_000);
    const decode: Decoder = () => Promise.reject(new Error('S3 does not answer'));
    expect(failed(await b.processor(() => 'done', decodesBy(decode))(delivery(3, ['m'])))).toEqual(['m']);
    expect(await markOf(b, 'm')).toMatchObject({ status: 'FAILED', attempt: 2, crashes: 0 });
  });

  it('may be there twice, and share an outcome', async () => {
    const b = bench();
    let runs = 0;
    expect(failed(await b.processor(() => (runs += 1), readsAs([]))(delivery(2, ['m', 'm'])))).toEqual([]);
    expect(runs).toBe(1);
  });

  it('are noted as read once where they are there twice: not after the end of the first', async () => {
    const b = bench();
    const { start } = b.store as Required<ClaimStore>;
    let starts = 0;
    const slowly = async (...given: Parameters<typeof start>): ReturnType<typeof start> => {
      starts += 1;
      await turn();
      return start(...given);
    };
    const store = { ...b.store, start: slowly };
    const process = b.processor(() => 'done', { ...readsAs([]), store });
    expect(failed(await process(delivery(2, ['m', 'm'])))).toEqual([]);
    expect(starts).toBe(1);
  });

  it('are at most ten rounds of a batch of any size', async () => {
    const b = bench();
    let starts = 0;
    const { start } = b.store as Required<ClaimStore>;
    Object.assign(b.store, {
      start: (...given: Parameters<typeof start>) => {
        starts += 1;
        return start(...given);
      },
    });
    const names = ids(1_003);
    expect(failed(await b.processor(() => 'done', readsAs([]))(delivery(2, names)))).toEqual([]);
    expect(starts).toBe(10);
  });

  it('are named among the damaged: those are handed back as before', async () => {
    const b = bench();
    const event = delivery(2, ['m', 'damaged']);
    Object.assign(event.Records[1] as object, { body: null });
    expect(failed(await b.processor(() => 'done', readsAs([]))(event))).toEqual(['damaged']);
  });

  it.each([
    ['hands them back', {}, ['m']],
    ['runs them where `onStoreError` says so', { onStoreError: runWithoutClaim() }, []],
  ])('without a store %s', async (_what, options, expected) => {
    const down = (): Promise<never> => Promise.reject(new Error('down'));
    const b = bench();
    const store = { ...b.store, acquire: down };
    const process = b.processor(() => 'done', { ...readsAs([]), store, ...options });
    expect(failed(await process(delivery(2, ['m'])))).toEqual(expected);
  });

  it('are read without marks where the store cannot note a start', async () => {
    const b = bench();
    const { start: _start, ...store } = b.store;
    const read: string[] = [];
    expect(failed(await b.processor(() => 'done', { ...readsAs(read), store })(delivery(2, ['m'])))).toEqual(
      [],
    );
    expect(await markOf(b, 'm')).toBeUndefined();
  });
});

describe('Requests for messages that come again', () => {
  const table = emulatedTable('dynoxide');
  const long = 'x'.repeat(256 * 1_024);

  /** What a second delivery of ten messages, which failed the first time, sends to DynamoDB. */
  async function requestsOf(options: BatchProcessorOptions, body: unknown = {}): Promise<number> {
    const client = table.newClient();
    const sent = watchRequests(client);
    const b = bench((clock) => dynamoDBStore({ tableName: table.tableName, client, clock }));
    const event = (receiveCount: number): ReturnType<typeof sqsEvent> =>
      sqsEvent(ids(10).map((messageId, n) => ({ messageId, body: { n, body }, receiveCount })));
    await b.processor(() => Promise.reject(new Error('declined')), options)(event(1));
    const before = sent.length;
    expect(failed(await b.processor(() => 'done', options)(event(2)))).toEqual([]);
    return sent.length - before;
  }

  const byFunction = ({ id }: BatchRecord): string => id;

  it.each<[string, BatchProcessorOptions, unknown]>([
    ['with the default key', {}, {}],
    ['with long messages', {}, long],
    ['with a payload hash', { key: payloadHash() }, {}],
    ['with payload validation', { payloadValidation: payloadHash({ include: ['n'] }) }, {}],
    [
      'with a function that says its effort',
      { key: Object.assign(byFunction, { effort: 'none' } as const) },
      {},
    ],
  ])('are no more than before where reading is harmless: %s', async (_what, options, body) => {
    expect(await requestsOf({ ...options, reading: suspectsFirst() }, body)).toBe(3); // read, claim, settle
  });

  it('are no more without `reading`, whatever reading does', async () => {
    expect(await requestsOf({ decode: decoder((data) => data), key: byFunction })).toBe(3);
  });

  it.each<[string, BatchProcessorOptions, unknown]>([
    ['a decoder', { decode: decoder((data) => data) }, {}],
    ['a key function', { key: ({ id }) => id }, {}],
    ['a namespace function', { namespace: ({ id }) => `bench-${id}` }, {}],
    ['a payload hash of long messages', { key: payloadHash() }, long],
    ['a validation function', { key: messageId(), payloadValidation: ({ id }) => id }, {}],
  ])('are a claim, ten starts and ten ends more with %s', async (_what, options, body) => {
    expect(await requestsOf({ ...options, reading: suspectsFirst() }, body)).toBe(3 + 1 + 10 + 10);
  });
});
