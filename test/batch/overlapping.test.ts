import type { StopSignal } from '../../src/base/stop.ts';
import { describe, expect, it } from '@jest/globals';
import type { BatchProcessorOptions, ClaimStore, RecordHandler } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { advanceUntil } from '../support/advance-until.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { watchRequests } from '../support/sdk-traffic.ts';
import { type Bench, bench, deferred, type Deferred, failed, forever, ids, messages } from './bench.ts';

/** As many as Lambda Managed Instances run at a time in one process. */
const INVOCATIONS = 64;
const LINGER_MS = 5;

/** The ids of one invocation's records. */
const batchOf = (invocation: number): string[] => ids(10, `${invocation}-`);

describe('64 invocations of 10 records that overlap in one process', () => {
  const table = emulatedTable('dynoxide');

  it.each([
    ['end at once', 0],
    ['end together', INVOCATIONS * 10],
  ])('cost 0.08 requests a record where their handlers %s', async (_, waitForStarts) => {
    const client = table.newClient();
    const sent = watchRequests(client);
    const b = bench((clock) => dynamoDBStore({ tableName: table.tableName, client, clock }));
    const gate = deferred();
    let starts = 0;
    const processor = b.processor(() => {
      starts += 1;
      if (starts >= waitForStarts) gate.resolve();
      return gate.promise;
    });
    const answers = Array.from({ length: INVOCATIONS }, (__, index) =>
      processor(messages(...batchOf(index))),
    );
    for (const answer of await advanceUntil(b.clock, Promise.all(answers)))
      expect(failed(answer)).toEqual([]);
    expect(new Set(sent.map(({ operation }) => operation))).toEqual(new Set(['BatchExecuteStatement']));
    expect(sent.length / INVOCATIONS / 10).toBeLessThan(0.09);
  });
});

/** A call to a store that waits for the test to let it go on. */
interface HeldCall extends Deferred {
  readonly kind: 'acquire' | 'settle';
  readonly keys: readonly string[];
  readonly signal: StopSignal | undefined;
}

interface OverlapBench extends Bench {
  /** The calls so far, in order; those that are not held up are resolved. */
  readonly calls: HeldCall[];
  /** Which calls are held up. */
  isHeld: (call: Pick<HeldCall, 'kind' | 'keys'>) => boolean;
}

function overlapBench(): OverlapBench {
  const calls: HeldCall[] = [];
  const b = bench((clock): ClaimStore => {
    const store = memoryStore({ clock });
    async function held<Answer>(
      kind: HeldCall['kind'],
      items: readonly { readonly key: string }[],
      signal: StopSignal | undefined,
      ask: () => Promise<Answer>,
    ): Promise<Answer> {
      const keys = items.map(({ key }) => key.replace(/.*:/, ''));
      const call = { kind, keys, signal, ...deferred() };
      calls.push(call);
      if (!whole.isHeld(call)) call.resolve();
      await call.promise;
      return ask();
    }
    return {
      ...store,
      acquire: (requests, options) =>
        held('acquire', requests, options?.signal, () => store.acquire(requests)),
      settle: (settlements, options) =>
        held('settle', settlements, options?.signal, () => store.settle(settlements)),
    };
  });
  const whole: OverlapBench = Object.assign(b, { calls, isHeld: () => false });
  return whole;
}

/** When invocations answered, in milliseconds after they were made, and with what. */
interface Answered {
  readonly afterMs: number;
  readonly failed: string[];
}

/** Runs an invocation of these records that has `remainingMs` left, in a processor that others share. */
function invoking(
  b: Bench,
  handler: RecordHandler,
  options?: BatchProcessorOptions,
): (records: readonly string[], remainingMs: number) => Promise<Answered> {
  const processor = b.processor(handler, options);
  return async (records, remainingMs) => {
    const startedAt = b.clock.now();
    const answer = await processor(messages(...records), b.lambda(remainingMs));
    return { afterMs: b.clock.now() - startedAt, failed: failed(answer) };
  };
}

describe('An invocation that has 50 ms left', () => {
  const SHORT_MS = 50;
  /** The answer leaves at nine tenths of the margin, which is half of the time there is. */
  const ANSWERED_MS = 48;
  const others = Array.from({ length: INVOCATIONS - 1 }, (_, index) => batchOf(index + 1));
  const doomed = batchOf(0);
  const isDoomed = ({ keys }: Pick<HeldCall, 'keys'>): boolean => keys.some((key) => doomed.includes(key));

  it.each(['acquire', 'settle'] as const)(
    'and a store that never answers for its keys to %s, keeps the others for no longer than the linger',
    async (kind) => {
      const b = overlapBench();
      b.isHeld = (call) => call.kind === kind && isDoomed(call);
      const gate = deferred();
      const invoke = invoking(b, ({ id }) =>
        kind === 'settle' && !doomed.includes(id) ? gate.promise : 'done',
      );
      const short = invoke(doomed, SHORT_MS);
      await b.clock.advance(0);
      const answers = Promise.all(others.map((records) => invoke(records, 30_000)));
      if (kind === 'settle') await b.told('started', others.at(-1)?.at(-1));
      gate.resolve();
      await b.clock.advance(2 * LINGER_MS);
      for (const answer of await answers) {
        expect(answer.failed).toEqual([]);
        expect(answer.afterMs).toBeLessThanOrEqual(2 * LINGER_MS);
      }
      await b.clock.advance(SHORT_MS);
      const { afterMs, failed: handedBack } = await short;
      expect(handedBack).toEqual(doomed);
      expect(afterMs).toBeLessThanOrEqual(ANSWERED_MS);
    },
  );

  it('answers in its time while a request that it shares goes on for the others, and gives back what that claims for it', async () => {
    const b = overlapBench();
    b.isHeld = ({ kind }) => kind === 'acquire';
    const invoke = invoking(b, () => 'done');
    const first = invoke(['first'], 30_000);
    await b.clock.advance(0);
    const short = invoke(['a'], SHORT_MS);
    const other = invoke(['b'], 30_000);
    await b.clock.advance(LINGER_MS);
    expect(b.calls.map(({ keys }) => keys)).toEqual([['first'], ['a', 'b']]);

    await b.clock.advance(SHORT_MS);
    expect(await short).toMatchObject({ failed: ['a'] });
    expect(b.calls[1]?.signal?.aborted).toBe(false);
    b.isHeld = () => false;
    b.calls.forEach((call) => call.resolve());
    expect(await Promise.all([first, other])).toMatchObject([{ failed: [] }, { failed: [] }]);
    expect(b.typesOf('a')).toEqual(['claimFailed']);
    await b.clock.advance(0);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', attempt: 1, releases: 1, crashes: 0 });
    expect(await b.claim('b')).toMatchObject({ status: 'COMPLETED' });
  });

  it('leaves behind claims of which nobody knows, and no other answer waits until they are given back', async () => {
    const b = overlapBench();
    b.isHeld = ({ kind, keys }) => kind === 'acquire' && keys.includes('a');
    const gate = deferred();
    const store: ClaimStore = { ...b.store, inspect: forever };
    const invoke = invoking(b, ({ id }) => (id === 'slow' ? gate.promise : 'done'), { store });
    const slow = invoke(['slow'], 30_000);
    const short = invoke(['a'], SHORT_MS);
    await b.clock.advance(SHORT_MS);
    expect(await short).toMatchObject({ failed: ['a'] });
    gate.resolve();
    await b.clock.advance(5_000);
    expect(await slow).toEqual({ failed: [], afterMs: SHORT_MS });
  });

  it('answers in its time while a settlement that it shares goes on for the others, and what that completes is a duplicate', async () => {
    const b = overlapBench();
    const invoke = invoking(b, () => 'done');
    b.isHeld = ({ kind }) => kind === 'settle';
    const first = invoke(['first'], 30_000);
    await b.clock.advance(0);
    const short = invoke(['a'], SHORT_MS);
    const other = invoke(['b'], 30_000);
    await b.clock.advance(LINGER_MS);
    const settled = b.calls.filter(({ kind }) => kind === 'settle');
    expect(settled.map(({ keys }) => keys)).toEqual([['first'], ['a', 'b']]);

    await b.clock.advance(SHORT_MS);
    expect(await short).toMatchObject({ failed: ['a'] });
    expect(b.eventsOf('settleFailed')).toMatchObject([{ recordId: 'a', effectDone: true }]);
    b.isHeld = () => false;
    settled.forEach((call) => call.resolve());
    expect(await Promise.all([first, other])).toMatchObject([{ failed: [] }, { failed: [] }]);
    expect(await invoke(['a'], 30_000)).toMatchObject({ failed: [] });
    expect(b.eventsOf('duplicate')).toMatchObject([{ recordId: 'a' }]);
  });
});

describe('What one of several invocations brings to a shared request', () => {
  it('does not hold up the others where it has to be written again', async () => {
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        async settle(settlements, options) {
          const outcomes = await store.settle(
            settlements.filter(({ key }) => !key.endsWith('poison')),
            options,
          );
          const throttled = { error: new Error('throttled') };
          return settlements.map(({ key }) =>
            key.endsWith('poison') ? throttled : (outcomes.shift() ?? throttled),
          );
        },
      } satisfies ClaimStore;
    });
    const invoke = invoking(b, () => 'done', { settleLingerMs: 100 });
    const all = Promise.all(['poison', 'b', 'c'].map((id) => invoke([id], 30_000)));
    await b.clock.advance(30_000);
    const [poison, ...others] = await all;
    expect(poison).toMatchObject({ failed: ['poison'] });
    expect(poison?.afterMs).toBeGreaterThan(0);
    for (const answer of others) expect(answer).toEqual({ failed: [], afterMs: 0 });
  });

  it('tells each observer of its own records alone, and one that breaks or hangs takes nobody along', async () => {
    const b = bench();
    const seen: unknown[][] = [];
    const observer = {
      onEvent(event: { readonly type: string }, { requestId }: { readonly requestId?: string } = {}) {
        if (event.type !== 'settling') return undefined;
        seen.push([
          requestId,
          (event as unknown as { ends: { recordId: string }[] }).ends.map(({ recordId }) => recordId),
        ]);
        throw new Error('no space left on device');
      },
    };
    const gate = deferred();
    const processor = b.processor(() => gate.promise, { observer });
    const answers = ['a', 'b'].map((id) =>
      processor(messages(`${id}1`, `${id}2`), { ...b.lambda(30_000), awsRequestId: id }),
    );
    await b.clock.advance(0);
    gate.resolve();
    await b.clock.advance(LINGER_MS);
    for (const answer of await Promise.all(answers)) expect(failed(answer)).toEqual([]);
    expect(seen).toEqual(
      expect.arrayContaining([
        ['a', ['a1', 'a2']],
        ['b', ['b1', 'b2']],
      ]),
    );
  });
});

describe('Two deliveries of one message that overlap in one process', () => {
  it('run it once: their claims never stand in one request', async () => {
    const b = overlapBench();
    b.isHeld = ({ kind }) => kind === 'acquire';
    let runs = 0;
    const invoke = invoking(b, () => void (runs += 1));
    const answers = [invoke(['first'], 30_000)];
    await b.clock.advance(0);
    answers.push(invoke(['a', 'b'], 30_000), invoke(['b', 'a'], 30_000));
    await b.clock.advance(LINGER_MS);
    expect(b.calls.map(({ keys }) => keys)).toEqual([['first'], ['a', 'b'], ['b', 'a']]);
    b.calls.forEach((call) => call.resolve());
    await b.clock.advance(LINGER_MS);
    const [, one, two] = await Promise.all(answers);
    expect([one?.failed, two?.failed]).toEqual([[], ['b', 'a']]);
    expect(runs).toBe(3);
  });
});
