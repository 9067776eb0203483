import { describe, expect, it } from '@jest/globals';
import type { InvocationResult } from '../../../src/dev/invoke-result.ts';
import {
  type EndedStreamBatch,
  startStreamMapping,
  type StreamMapping,
} from '../../../src/dev/mappings/stream-mapping.ts';
import type { StreamRecord, StreamSource } from '../../../src/dev/mappings/stream-source.ts';
import { LocalCallError } from '../../../src/dev/services/local-call.ts';
import type { StreamTrigger } from '../../../src/dev/stack.ts';
import { manualClock, type ManualClock } from 'batchlatch/testing';

const START = Date.UTC(2026, 0, 1);
const FAILED: InvocationResult = { ok: false, errorType: 'Error', errorMessage: 'no' };
const DONE: InvocationResult = { ok: true, payload: null };
const named = (...ids: readonly unknown[]): InvocationResult => ({
  ok: true,
  payload: { batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) },
});

const TRIGGER: StreamTrigger = {
  kind: 'kinesis',
  id: 'FnE',
  streamArn: 'arn:aws:kinesis:us-east-1:000000000000:stream/s',
  batchSize: 10,
  windowMs: 0,
  filters: [],
  reportsBatchItemFailures: false,
  isEnabled: true,
  startingPosition: 'TRIM_HORIZON',
  maximumRetries: -1,
  maximumRecordAgeMs: -1,
  bisectsOnError: false,
  parallelizationFactor: 1,
  onFailure: 'arn:aws:sqs:us-east-1:000000000000:failed',
};

/** A stream in memory: a shard's records are numbered from 1. */
class MemoryStream implements StreamSource {
  readonly shardsOf = new Map<string, StreamRecord[]>();
  readonly clock: ManualClock;
  failures = 0;
  /** How many reads get no answer. */
  silences = 0;
  /** An iterator that is refused from now on. */
  expired = '';

  constructor(clock: ManualClock, shards: readonly string[]) {
    this.clock = clock;
    for (const shard of shards) this.shardsOf.set(shard, []);
  }

  put(shard: string, ...texts: readonly string[]): void {
    const records = this.shardsOf.get(shard) ?? [];
    for (const text of texts) {
      const record = { sequence: `${records.length + 1}`, text };
      records.push({
        sequenceNumber: record.sequence,
        arrivedMs: this.clock.now(),
        record,
        filtered: { value: { data: text }, payload: { name: 'data', text } },
      });
    }
  }

  shards(): Promise<readonly string[]> {
    return Promise.resolve([...this.shardsOf.keys()]);
  }

  iterator(shardId: string, position: Parameters<StreamSource['iterator']>[1]): Promise<string> {
    if (this.failures-- > 0) return Promise.reject(new Error('not there'));
    const end = this.shardsOf.get(shardId)?.length ?? 0;
    if (typeof position === 'object') return Promise.resolve(`${position.after} again`);
    return Promise.resolve(position === 'LATEST' ? String(end) : '0');
  }

  read(shardId: string, iterator: string, limit: number): ReturnType<StreamSource['read']> {
    if (iterator === this.expired)
      return Promise.reject(new LocalCallError('ExpiredIteratorException', 'The iterator has expired'));
    if (this.silences-- > 0) return Promise.reject(new TypeError('fetch failed'));
    const from = Number.parseInt(iterator);
    const records = (this.shardsOf.get(shardId) ?? []).slice(from, from + limit);
    return Promise.resolve({ records, next: String(from + records.length) });
  }
}

interface Harness {
  readonly stream: MemoryStream;
  readonly clock: ManualClock;
  /** The texts of each invocation. */
  readonly invocations: string[][];
  readonly batches: EndedStreamBatch[];
  readonly sent: unknown[];
  readonly discarded: string[][];
  readonly troubles: unknown[];
  readonly checkpoints: Map<string, string>;
  readonly mapping: StreamMapping;
}

/** Starts a mapping; `answer` gets the texts of a batch. */
function harness(
  trigger: Partial<StreamTrigger>,
  answer: (texts: readonly string[], count: number) => InvocationResult,
  {
    shards = ['a'],
    before = () => undefined,
    checkpoints = new Map(),
  }: {
    shards?: readonly string[];
    before?: (stream: MemoryStream) => void;
    checkpoints?: Map<string, string>;
  } = {},
): Harness {
  const clock = manualClock(START);
  const stream = new MemoryStream(clock, shards);
  before(stream);
  const [invocations, batches, sent, discarded, troubles]: [
    string[][],
    EndedStreamBatch[],
    unknown[],
    string[][],
    unknown[],
  ] = [[], [], [], [], []];
  const mapping = startStreamMapping({
    trigger: { ...TRIGGER, ...trigger },
    fn: { name: 'shop-Fn' },
    source: stream,
    clock,
    invoke: ({ Records: records }) => {
      const texts = records.map((record) => (record as { text: string }).text);
      invocations.push(texts);
      return Promise.resolve(answer(texts, invocations.length));
    },
    send: (_queue, body) => {
      sent.push(JSON.parse(body));
      return Promise.resolve();
    },
    checkpoints,
    onBatch: (batch) => batches.push(batch),
    onDiscarded: ({ records }) =>
      discarded.push(records.map(({ record }) => (record as { text: string }).text)),
    onTrouble: (error) => troubles.push(error),
  });
  return { stream, clock, invocations, batches, sent, discarded, troubles, checkpoints, mapping };
}

/** Stops it, with the time that its waits take. */
async function stopped({ mapping, clock }: Harness): Promise<void> {
  const stop = mapping.stop();
  await clock.advance(0);
  await stop;
}

describe('A stream', () => {
  it('is read shard by shard in order, in batches of their size', async () => {
    const it = harness({ batchSize: 2 }, () => DONE, {
      shards: ['a', 'b'],
      before: (stream) => {
        stream.put('a', '1', '2', '3');
        stream.put('b', 'x');
      },
    });
    await it.clock.advance(1_000);
    expect(it.invocations.filter(([first]) => first !== 'x')).toEqual([['1', '2'], ['3']]);
    expect(it.invocations).toContainEqual(['x']);
    it.stream.put('a', '4');
    await it.clock.advance(1_000);
    expect(it.invocations.at(-1)).toEqual(['4']);
    expect([...it.checkpoints]).toEqual(
      expect.arrayContaining([
        ['a', '4'],
        ['b', '1'],
      ]),
    );
    await stopped(it);
  });

  it('gathers for its window', async () => {
    const it = harness({ windowMs: 5_000, batchSize: 3 }, () => DONE);
    it.stream.put('a', '1');
    await it.clock.advance(4_000);
    it.stream.put('a', '2');
    expect(it.invocations).toEqual([]);
    await it.clock.advance(1_500);
    expect(it.invocations).toEqual([['1', '2']]);
    it.stream.put('a', '3', '4', '5', '6');
    await it.clock.advance(500);
    expect(it.invocations[1]).toEqual(['3', '4', '5']);
    await stopped(it);
  });

  it('starts at its latest record, or where the mapping before it was', async () => {
    const before = (stream: MemoryStream): void => stream.put('a', '1', '2', '3');
    const latest = harness({ startingPosition: 'LATEST' }, () => DONE, { before });
    await latest.clock.advance(1_000);
    latest.stream.put('a', '4');
    await latest.clock.advance(1_000);
    expect(latest.invocations).toEqual([['4']]);
    await stopped(latest);
    const next = harness({ startingPosition: 'LATEST' }, () => DONE, {
      before,
      checkpoints: new Map([['a', '2']]),
    });
    await next.clock.advance(1_000);
    expect(next.invocations).toEqual([['3']]);
    await stopped(next);
  });

  it('hands on what its filters want, and passes by the rest', async () => {
    const it = harness({ filters: [{ data: [{ prefix: 'y' }] }] }, () => DONE, {
      before: (stream) => stream.put('a', 'n1', 'y1', 'n2'),
    });
    await it.clock.advance(1_000);
    it.stream.put('a', 'n3');
    await it.clock.advance(1_000);
    expect(it.invocations).toEqual([['y1']]);
    expect(it.checkpoints.get('a')).toBe('4');
    await stopped(it);
  });

  it('is read again after trouble, from where it was', async () => {
    const it = harness({}, () => DONE, { before: (stream) => stream.put('a', '1') });
    it.stream.failures = 2;
    await it.clock.advance(5_000);
    expect(it.troubles).toHaveLength(2);
    expect(it.invocations).toEqual([['1']]);
    await stopped(it);
  });

  it('is read from where it was joined, although the first read had no answer', async () => {
    const it = harness({ startingPosition: 'LATEST' }, () => DONE, {
      before: (stream) => {
        stream.put('a', 'old');
        stream.silences = 1;
      },
    });
    await it.clock.advance(0);
    it.stream.put('a', 'new');
    await it.clock.advance(2_000);
    expect(it.invocations).toEqual([['new']]);
    await stopped(it);
  });

  it('is read on where its iterator has expired', async () => {
    const it = harness({}, () => DONE, { before: (stream) => stream.put('a', '1') });
    await it.clock.advance(100);
    it.stream.expired = '1';
    it.stream.put('a', '2');
    await it.clock.advance(3_000);
    expect(it.invocations).toEqual([['1'], ['2']]);
    expect(it.troubles).toHaveLength(1);
    await stopped(it);
  });

  it('is not read while it is turned off', async () => {
    const it = harness({ isEnabled: false }, () => DONE, { before: (stream) => stream.put('a', '1') });
    await it.clock.advance(1_000);
    expect(it.invocations).toEqual([]);
    await stopped(it);
  });
});

describe('A batch that fails', () => {
  const before = (stream: MemoryStream): void => stream.put('a', '1', '2', '3', '4');
  const failsWith = (text: string) => (texts: readonly string[]) => (texts.includes(text) ? FAILED : DONE);

  it('blocks its shard and comes again, without end', async () => {
    const it = harness({}, failsWith('2'), { before });
    await it.clock.advance(60_000);
    it.stream.put('a', '5');
    await it.clock.advance(60_000);
    expect(it.invocations.length).toBeGreaterThan(8);
    expect(new Set(it.invocations.map(String))).toEqual(new Set(['1,2,3,4']));
    expect(it.checkpoints.size).toBe(0);
    await stopped(it);
  });

  it('is given up as a whole after its retries, and the queue is told where it is', async () => {
    const it = harness({ maximumRetries: 2 }, failsWith('2'), { before });
    await it.clock.advance(60_000);
    it.stream.put('a', '5');
    await it.clock.advance(1_000);
    expect(it.invocations.map(String)).toEqual(['1,2,3,4', '1,2,3,4', '1,2,3,4', '5']);
    expect(it.discarded).toEqual([['1', '2', '3', '4']]);
    expect(it.sent).toEqual([
      {
        requestContext: {
          requestId: expect.any(String),
          functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:shop-Fn',
          condition: 'RetryAttemptsExhausted',
          approximateInvokeCount: 3,
        },
        responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
        version: '1.0',
        timestamp: expect.any(String),
        KinesisBatchInfo: {
          shardId: 'a',
          startSequenceNumber: '1',
          endSequenceNumber: '4',
          approximateArrivalOfFirstRecord: '2026-01-01T00:00:00.000Z',
          approximateArrivalOfLastRecord: '2026-01-01T00:00:00.000Z',
          batchSize: 4,
          streamArn: TRIGGER.streamArn,
        },
      },
    ]);
    await stopped(it);
  });

  it('is halved where that is asked for, until the record that fails is alone', async () => {
    const it = harness({ maximumRetries: 1, bisectsOnError: true, kind: 'dynamodb' }, failsWith('2'), {
      before,
    });
    await it.clock.advance(60_000);
    expect(it.invocations.map(String)).toEqual(['1,2,3,4', '1,2', '1', '2', '2', '3,4']);
    expect(it.discarded).toEqual([['2']]);
    expect(it.sent[0]).toMatchObject({ DDBStreamBatchInfo: { startSequenceNumber: '2', batchSize: 1 } });
    expect(it.checkpoints.get('a')).toBe('4');
    await stopped(it);
  });

  it('starts at the first record that the answer names', async () => {
    const it = harness(
      { reportsBatchItemFailures: true },
      (_texts, count) => (count === 1 ? named('4', '3') : DONE),
      {
        before,
      },
    );
    await it.clock.advance(5_000);
    expect(it.invocations.map(String)).toEqual(['1,2,3,4', '3,4']);
    expect(it.batches.map(({ records, done }) => [records, done])).toEqual([
      [4, 2],
      [2, 2],
    ]);
    await stopped(it);
  });

  it('does not count the failures of records before the one in front', async () => {
    const failing = new Map([
      ['2', 2],
      ['3', 2],
    ]);
    const it = harness(
      { reportsBatchItemFailures: true, maximumRetries: 2 },
      ([...texts]) => {
        const first = texts.find((text) => (failing.get(text) ?? 0) > 0);
        if (first === undefined) return DONE;
        failing.set(first, (failing.get(first) ?? 0) - 1);
        return named(String(Number(first)));
      },
      { before },
    );
    await it.clock.advance(60_000);
    expect(it.discarded).toEqual([]);
    expect(it.checkpoints.get('a')).toBe('4');
    await stopped(it);
  });

  it.each<[string, InvocationResult, boolean]>([
    ['an identifier that names no record', named('9'), false],
    ['an empty identifier', named(''), false],
    ['no identifier', named(undefined), false],
    ['failures that are no list', { ok: true, payload: { batchItemFailures: 'x' } }, false],
    ['a failure that is null', { ok: true, payload: { batchItemFailures: [null] } }, false],
    ['an empty list', named(), true],
    ['null failures', { ok: true, payload: { batchItemFailures: null } }, true],
    ['nothing', { ok: true, payload: undefined }, true],
    ['a text', { ok: true, payload: 'fine' }, true],
  ])('is judged by the answer: %s', async (_name, result, isDone) => {
    const it = harness({ reportsBatchItemFailures: true, maximumRetries: 0 }, () => result, { before });
    await it.clock.advance(1_000);
    expect(it.batches[0]?.done).toBe(isDone ? 4 : 0);
    expect(it.discarded).toHaveLength(isDone ? 0 : 1);
    await stopped(it);
  });

  it('is not asked what failed where its mapping does not report it', async () => {
    const it = harness({}, () => named('1'), { before });
    await it.clock.advance(1_000);
    expect(it.batches.map(({ done }) => done)).toEqual([4]);
    await stopped(it);
  });

  it('comes again when it was throttled, and no attempt is counted', async () => {
    const results = [true, true, true].map((isThrottled) => ({ ...FAILED, isThrottled }));
    const it = harness(
      { maximumRetries: 0, bisectsOnError: true },
      (_texts, count) => results[count - 1] ?? DONE,
      {
        before,
      },
    );
    await it.clock.advance(30_000);
    expect(it.invocations.map(String)).toEqual(Array.from({ length: 4 }, () => '1,2,3,4'));
    expect(it.discarded).toEqual([]);
    await stopped(it);
  });

  it('loses the records that have become too old', async () => {
    const it = harness({ maximumRecordAgeMs: 60_000 }, failsWith('2'), { before });
    await it.clock.advance(30_000);
    it.stream.put('a', '5');
    await it.clock.advance(60_000);
    expect(it.discarded).toEqual([['1', '2', '3', '4']]);
    expect(it.sent[0]).toMatchObject({ requestContext: { condition: 'RecordAgeExceeded' } });
    expect(it.invocations.at(-1)).toEqual(['5']);
    await stopped(it);
  });

  it('that is stopped leaves its checkpoint before what is left', async () => {
    const it = harness({ reportsBatchItemFailures: true }, () => named('3'), { before });
    await it.clock.advance(1_000);
    await stopped(it);
    expect(it.checkpoints.get('a')).toBe('2');
  });
});
