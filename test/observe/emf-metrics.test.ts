import { describe, expect, it } from '@jest/globals';
import {
  type BatchEvent,
  type ObservedInvocation,
  type Observer,
  PermanentError,
  type RecordHandler,
} from 'batchlatch';
import { emfMetrics, type EmfMetricsOptions, observers } from 'batchlatch/observe';
import { sqsEvent } from 'batchlatch/testing';
import { type Bench, bench, deferred, fifo, ids, messages } from '../batch/bench.ts';
import { type EmfLine, emfProblems } from './emf-rules.ts';

/** A bench whose processors write their metrics to `lines`. */
function measured(
  options: EmfMetricsOptions = {},
): Bench & { readonly lines: EmfLine[]; readonly observer: Observer } {
  const b = bench();
  const lines: EmfLine[] = [];
  const write = (line: string): void => {
    expect(emfProblems(line)).toEqual([]);
    lines.push(JSON.parse(line) as EmfLine);
  };
  const emf = emfMetrics({ write, clock: b.clock, ...options });
  const observer = observers({ onEvent: (event) => void b.events.push(event) }, emf);
  const processor: Bench['processor'] = (handler, more) => b.processor(handler, { observer, ...more });
  return {
    ...b,
    processor,
    lines,
    observer,
    run: async (handler, some, more) =>
      (await processor(handler, more)(messages(...some))).batchItemFailures.map((one) => one.itemIdentifier),
  };
}

const succeeds: RecordHandler = () => 'done';
const ZEROS = {
  Claimed: 0,
  Started: 0,
  Completed: 0,
  Failed: 0,
  Duplicates: 0,
  Conflicts: 0,
  TookOver: 0,
  Lost: 0,
  Parked: 0,
  NotStarted: 0,
  StuckHandlers: 0,
};

describe('The metrics of an invocation', () => {
  it('are one line in the embedded metric format', async () => {
    const b = measured();
    const event = sqsEvent([{ body: 1, messageId: 'a', sentAt: b.clock.now() - 700 }]);
    const work = async (): Promise<void> => b.clock.advance(20);
    await b.processor(work)(event, { ...b.lambda(60_000), awsRequestId: 'request-1' });
    expect(b.lines).toEqual([
      {
        _aws: {
          Timestamp: b.clock.now(),
          CloudWatchMetrics: [
            { Namespace: 'batchlatch', Dimensions: [['function', 'source']], Metrics: expect.any(Array) },
          ],
        },
        function: 'test-function',
        source: 'sqs',
        requestId: 'request-1',
        ...ZEROS,
        Claimed: 1,
        Started: 1,
        Completed: 1,
        ClaimDuration: [0],
        HandlerDuration: [20],
        QueueAge: [700],
      },
    ]);
    const [directive] = (b.lines[0] as EmfLine)._aws.CloudWatchMetrics;
    const units = directive?.Metrics.map(({ Name, Unit }) => [Name, Unit]) ?? [];
    expect(Object.fromEntries(units)).toEqual({
      ...Object.fromEntries(Object.keys(ZEROS).map((name) => [name, 'Count'])),
      ClaimDuration: 'Milliseconds',
      HandlerDuration: 'Milliseconds',
      QueueAge: 'Milliseconds',
    });
  });

  it('count the zeros too', async () => {
    const b = measured();
    await b.occupy('a');
    await b.run(succeeds, ['a']);
    expect(b.lines).toMatchObject([{ ...ZEROS, Conflicts: 1 }]);
    expect(b.lines[0]).not.toHaveProperty('HandlerDuration');
  });

  it.each<[string, (b: Bench) => Promise<unknown>, Partial<typeof ZEROS>]>([
    [
      'a failure',
      (b) => b.run(() => Promise.reject(new Error('no')), ['a']),
      { Claimed: 1, Started: 1, Failed: 1 },
    ],
    [
      'what is parked',
      (b) => b.run(() => Promise.reject(new PermanentError('no')), ['a']),
      { Claimed: 1, Started: 1, Parked: 1 },
    ],
    [
      'each of two equal records that are parked',
      (b) => b.run(() => Promise.reject(new PermanentError('no')), ['a', 'a']),
      { Claimed: 1, Started: 1, Parked: 2 },
    ],
    ['a duplicate in the batch', (b) => b.run(succeeds, ['a', 'a']), { Completed: 1, Duplicates: 1 }],
    [
      'what is taken over',
      async (b) => {
        await b.die('a');
        await b.run(succeeds, ['a']);
      },
      { Claimed: 2, TookOver: 1, Started: 1, Completed: 1 },
    ],
    [
      'a lease that was lost',
      async (b) => {
        const end = deferred();
        const answer = b.run(() => end.promise, ['a'], { leaseMs: 1_000 });
        await b.clock.advance(1_000);
        await b.occupy('a');
        end.resolve();
        await answer;
      },
      { Claimed: 1, Started: 1, Lost: 1, Failed: 0 },
    ],
    [
      'what its message group held back',
      (b) => b.processor(() => Promise.reject(new Error('no')))(fifo('a1', 'a2')),
      { Failed: 1, NotStarted: 1 },
    ],
    [
      'what cannot be read',
      async (b) => {
        const event = messages('a', 'b');
        Object.assign(event.Records[0] as object, { body: null });
        await b.processor(succeeds)(event);
      },
      { Failed: 1, Completed: 1, Claimed: 1 },
    ],
  ])('count %s', async (_what, act, expected) => {
    const b = measured();
    await act(b);
    expect(b.lines).toMatchObject([expected]);
  });

  it('are in as few lines as 100 values of an array allow', async () => {
    const b = measured();
    await b.run(succeeds, ids(250), { concurrency: 250 });
    expect(b.lines.map((line) => (line['HandlerDuration'] as number[]).length)).toEqual([100, 100, 50]);
    expect(b.lines.map(({ Completed }) => Completed)).toEqual([250, undefined, undefined]);
    expect(b.lines.every(({ source }) => source === 'sqs')).toBe(true);
  });

  it('do not mix with those of an invocation that overlaps', async () => {
    const b = measured();
    const ends = new Map([
      ['a', deferred()],
      ['b', deferred()],
    ]);
    const process = b.processor(({ id }) => ends.get(id)?.promise);
    const invocations = ['a', 'b'].map((id) =>
      process(messages(id), { ...b.lambda(60_000), awsRequestId: id }),
    );
    await b.clock.advance(5);
    ends.get('b')?.reject(new Error('no'));
    await b.clock.advance(5);
    expect(b.lines).toMatchObject([{ requestId: 'b', Claimed: 1, Failed: 1, Completed: 0 }]);
    ends.get('a')?.resolve();
    await b.clock.advance(5);
    await Promise.all(invocations);
    expect(b.lines[1]).toMatchObject({ requestId: 'a', Claimed: 1, Failed: 0, Completed: 1 });
  });

  it('count a stuck handler, and one that ends after its invocation in a line of its own', async () => {
    const b = measured();
    const end = deferred();
    const answer = b.processor(() => end.promise)(messages('a'), { ...b.lambda(3_000), awsRequestId: 'r' });
    await b.clock.advance(2_500);
    await answer;
    expect(b.lines).toMatchObject([{ StuckHandlers: 0, Failed: 1 }]);
    await b.clock.advance(60_000);
    end.resolve();
    await b.clock.advance(0);
    expect(b.lines[1]).toMatchObject({ StuckHandlers: 1, requestId: 'r', function: 'test-function' });
    expect(b.lines[1]).not.toHaveProperty('Claimed');
  });

  it('have no age below 0 and none that is not known', () => {
    const lines: string[] = [];
    const { onEvent } = emfMetrics({
      write: (line) => void lines.push(line),
      clock: { ...bench().clock, now: () => 5 },
    });
    const sent = [10, undefined];
    const invocation: ObservedInvocation = {
      source: 'sqs',
      destination: undefined,
      records: 2,
      fairGroups: [],
      typeOf: () => undefined,
      recordOf: () => ({
        sourceArn: undefined,
        destination: undefined,
        sentAt: sent.shift(),
        type: undefined,
        receiveCount: 1,
        headerOf: () => undefined,
      }),
    };
    const started: BatchEvent = { type: 'started', recordId: 'a', key: 'k', owner: 'o', attempt: 1 };
    const finished: BatchEvent = { type: 'batchFinished', records: 2, outcomes: {}, durationMs: 1 };
    for (const event of [started, started, finished]) onEvent(event, invocation);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ Started: 2, QueueAge: [0], function: 'unknown' });
  });

  it('have more dimensions, and another namespace, where they are named', async () => {
    const b = measured({ namespace: 'Shop/Orders', dimensions: { service: 'orders' } });
    await b.run(succeeds, ['a']);
    expect(b.lines).toMatchObject([
      {
        _aws: {
          CloudWatchMetrics: [{ Namespace: 'Shop/Orders', Dimensions: [['service', 'function', 'source']] }],
        },
        service: 'orders',
      },
    ]);
  });

  it('are in the format with as many dimensions as may be named, also by type of message', () => {
    const b = measured({ messageTypes: true, dimensions: Object.fromEntries(ids(27).map((id) => [id, id])) });
    b.observer.onEvent({
      type: 'batchFinished',
      records: 1,
      outcomes: { completed: 1 },
      types: { OrderPlaced: { completed: 1 } },
      durationMs: 1,
    });
    expect(b.lines.map((line) => line['messageType'])).toEqual([undefined, 'OrderPlaced']);
  });

  it.each([
    ['AuftragGeändert', 'AuftragGe_ndert'],
    ['注文', '__'],
    ['😀', '_'],
    [':placed', '_placed'],
    ['placed\n', 'placed_'],
    [' ', 'unknown'],
    ['', 'unknown'],
    ['x'.repeat(1_025), 'x'.repeat(1_024)],
  ])('write the name %j as CloudWatch takes it', (name, written) => {
    const { observer, lines } = measured({ messageTypes: true });
    const outcomes = { completed: 1 };
    observer.onEvent(
      { type: 'batchFinished', records: 1, outcomes, types: { [name]: outcomes }, durationMs: 1 },
      { functionName: name, source: 'sqs', typeOf: () => name } as Partial<ObservedInvocation> as never,
    );
    expect(lines.map((line) => [line['function'], line['messageType']])).toEqual([
      [written, undefined],
      [written, written],
    ]);
  });

  it.each<[EmfMetricsOptions, string]>([
    [{ namespace: '' }, 'namespace'],
    [{ namespace: 'AWS/Lambda' }, 'namespace'],
    [{ namespace: 'a\nb' }, 'namespace'],
    [{ dimensions: { source: 'x' } }, 'dimensions'],
    [{ dimensions: { Claimed: 'x' } }, 'dimensions'],
    [{ dimensions: { service: '' } }, 'dimensions'],
    [{ dimensions: { service: 'ä' } }, 'dimensions'],
    [{ dimensions: { service: 5 as never } }, 'dimensions'],
    [{ dimensions: Object.fromEntries(ids(28).map((id) => [id, id])) }, 'dimensions'],
  ])('refuse %j', (options, name) => {
    expect(() => emfMetrics(options)).toThrow(`emfMetrics: Expected \`${name}\` to be`);
  });

  it('hold nothing of an invocation that never finishes', async () => {
    const b = measured();
    void b.processor(() => new Promise(() => undefined))(messages('a'));
    await b.clock.advance(100);
    expect(b.lines).toEqual([]);
  });
});
