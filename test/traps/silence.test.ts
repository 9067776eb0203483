import { describe, expect, it } from '@jest/globals';
import {
  type BatchHandler,
  type BatchProcessorOptions,
  type ClaimStore,
  createBatchProcessor,
  decoder,
  heartbeat,
  type ReadingPolicy,
  StoreError,
  suspectsFirst,
  waitForOwner,
} from 'batchlatch';
import { commit } from 'batchlatch/dynamodb';
import { type CallContext, type IdempotencyOptions, withIdempotencyContext } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { type ManualClock, manualClock, sqsEvent } from 'batchlatch/testing';
import { boundedAdmin } from '../../src/claims/bounded-admin.ts';
import type { ClaimAdmin } from '../../src/claims/claim-admin.ts';
import { bench, failed, forever, ids } from '../batch/bench.ts';

const BUDGET_MS = 4_000;
const STEP_MS = 50;

type Method = 'acquire' | 'settle' | 'extend' | 'start' | 'inspect' | 'commit';

interface SilentStore {
  readonly store: ClaimStore;
  /** How often the silent method was called. */
  readonly calls: () => number;
}

/** A store one of whose methods never answers, and others of which lose their answers. */
function silentAt(method: Method, clock: ManualClock, losing: readonly Method[]): SilentStore {
  let calls = 0;
  const store = memoryStore({ clock, onCommit: () => undefined });
  const lost = (): Promise<never> => Promise.reject(new StoreError('no answer', { isRetryable: true }));
  return {
    calls: () => calls,
    store: {
      ...store,
      ...Object.fromEntries(losing.map((name) => [name, lost])),
      [method]: () => {
        calls += 1;
        return forever();
      },
    },
  };
}

/** The answer, and how long it took; fails where there is none within twice the budget. */
async function answered<Answer>(
  clock: ManualClock,
  call: () => Promise<Answer>,
): Promise<{ readonly answer: Answer | Error; readonly tookMs: number }> {
  const startedAt = clock.now();
  let settled: { readonly answer: Answer | Error; readonly tookMs: number } | undefined;
  const note = (answer: Answer | Error): void => {
    settled = { answer, tookMs: clock.now() - startedAt };
  };
  call().then(note, note);
  while (settled === undefined && clock.now() - startedAt < 2 * BUDGET_MS) await clock.advance(STEP_MS);
  if (settled === undefined) throw new Error(`There is no answer after ${2 * BUDGET_MS} ms`);
  return settled;
}

const ITEMS = [{ Delete: { TableName: 't', Key: { id: 'k' } } }];

function passing(clock: ManualClock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.setTimer(resolve, ms));
}

/** A call in an invocation that has so much time left. */
function functionOf(
  store: ClaimStore,
  clock: ManualClock,
  work: (context: CallContext) => unknown,
): Promise<unknown> {
  const options: IdempotencyOptions<[]> = {
    store,
    clock,
    key: () => 'k',
    namespace: 'n',
    remainingTimeMs: () => BUDGET_MS,
    maxAttempts: 3,
    heartbeat: true,
    onConflict: waitForOwner({ timeoutMs: 60_000 }),
  };
  return withIdempotencyContext((context) => async () => work(context), options)();
}

/** The second delivery of ten messages, whose reading could have ended the process. */
const secondDelivery = sqsEvent(ids(10).map((messageId) => ({ messageId, body: {}, receiveCount: 2 })));

const wayOfReading: readonly (readonly [string, BatchProcessorOptions])[] = [
  ['read at once', {}],
  ['with suspectsFirst()', { decode: decoder((data) => data), reading: suspectsFirst() }],
];

/** Options with which a batch calls every method of the store. */
const OPTIONS: BatchProcessorOptions = {
  maxCrashes: 3,
  leaseMs: 1_200,
  heartbeat: heartbeat(),
  onConflict: waitForOwner({ timeoutMs: 60_000 }),
};

describe.each(['acquire', 'settle', 'extend', 'start', 'inspect', 'commit'] as const)(
  'M21: a store that never answers to %s',
  (method) => {
    describe.each(wayOfReading)('%s', (_way, reading) => {
      it('does not keep a batch from its answer before the deadline', async () => {
        const b = bench();
        const { store, calls } = silentAt(method, b.clock, method === 'inspect' ? ['acquire'] : []);
        const process = b.processor(
          async (_, context) => {
            await passing(b.clock, 1_000);
            if (method === 'commit') await commit(context, ITEMS);
          },
          { store, ...OPTIONS, ...reading },
        );
        for (let delivery = 1; delivery <= 2; delivery += 1) {
          const { answer, tookMs } = await answered(b.clock, () =>
            process(secondDelivery, b.lambda(BUDGET_MS)),
          );
          expect(tookMs).toBeLessThan(BUDGET_MS);
          if (method !== 'extend') expect(failed(answer as never)).toEqual(ids(10));
        }
        expect(calls()).toBeGreaterThan(0);
      });

      it('does not keep a batch handler from its answer before the deadline', async () => {
        const b = bench();
        const { store, calls } = silentAt(method, b.clock, method === 'inspect' ? ['acquire'] : []);
        const handler: BatchHandler = async (items) => {
          await passing(b.clock, 1_000);
          const [first] = items;
          if (method === 'commit' && first !== undefined) {
            await commit(first.context, ITEMS);
          }
        };
        const observer = { onEvent: () => undefined };
        const options = { store, clock: b.clock, observer, namespace: 'n', ...OPTIONS, ...reading };
        const process = createBatchProcessor.forBatches(handler, options);
        const { tookMs } = await answered(b.clock, () => process(secondDelivery, b.lambda(BUDGET_MS)));
        expect(tookMs).toBeLessThan(BUDGET_MS);
        expect(calls()).toBeGreaterThan(0);
      });
    });
  },
);

describe.each(['acquire', 'settle', 'extend', 'start', 'inspect'] as const)(
  'M21: a store that never answers to %s',
  (method) => {
    it('does not keep a function from its answer before the deadline', async () => {
      const clock = manualClock();
      // A row is looked at after a commit whose answer was lost.
      const { store, calls } = silentAt(method, clock, method === 'inspect' ? ['commit'] : []);
      const { answer, tookMs } = await answered(clock, () =>
        functionOf(store, clock, async (context) => {
          await passing(clock, 1_000);
          if (method === 'extend') await context.extendLease(5_000);
          if (method === 'inspect') await commit(context, ITEMS);
        }),
      );
      expect(answer).toBeInstanceOf(Error);
      expect(tookMs).toBeLessThan(BUDGET_MS);
      expect(calls()).toBeGreaterThan(0);
    });
  },
);

describe('M21: the deadline of a function', () => {
  it('does not keep the end of one that overran it from being stored', async () => {
    const clock = manualClock();
    const store = memoryStore({ clock });
    const work = async (): Promise<string> => {
      await passing(clock, BUDGET_MS + 500);
      return 'done';
    };
    expect(await answered(clock, () => functionOf(store, clock, work))).toMatchObject({ answer: 'done' });
    expect(await functionOf(store, clock, () => expect(true).toBe(false))).toBe('done');
  });

  it('ends the wait for another call a second before, with the time at which that has to end', async () => {
    const clock = manualClock();
    const store = memoryStore({ clock });
    const running = functionOf(store, clock, () => passing(clock, 2 * BUDGET_MS));
    const { answer, tookMs } = await answered(clock, () => functionOf(store, clock, async () => undefined));
    expect(answer).toMatchObject({ code: 'BATCHLATCH_CONFLICT' });
    expect(tookMs).toBe(BUDGET_MS - 1_000);
    await clock.advance(2 * BUDGET_MS);
    await running;
  });
});

describe('M21: what people do to claims', () => {
  it.each(['adopt', 'list', 'count', 'change', 'read'] as const)(
    'ends within a minute where the store never answers to %s',
    async (method) => {
      const clock = manualClock();
      const silent = { ...memoryStore({ clock }), [method]: forever } as ClaimAdmin;
      const admin = boundedAdmin(silent, clock) as Required<ClaimAdmin>;
      const calls = {
        adopt: () => admin.adopt([]),
        list: () => admin.list({}),
        count: () => admin.count({ state: 'parked' }),
        change: () => admin.change([]),
        read: () => admin.read('k'),
      };
      const answer = calls[method]().catch((error: unknown) => error);
      await clock.advance(60_000);
      expect(await answer).toMatchObject({ code: 'BATCHLATCH_STORE_SILENT' });
    },
  );
});

describe('M21: claims that an earlier invocation could not give back', () => {
  it('do not keep an invocation with little time from its answer', async () => {
    const b = bench();
    const { store, calls } = silentAt('inspect', b.clock, ['acquire']);
    const process = b.processor(() => 'done', { store });
    await answered(b.clock, () => process(secondDelivery, b.lambda(BUDGET_MS)));
    expect(calls()).toBeGreaterThan(0);
    const { tookMs } = await answered(b.clock, () => process(secondDelivery, b.lambda(200)));
    expect(tookMs).toBeLessThan(200);
  });
});

describe('M21: reading that never ends', () => {
  it('does not keep a batch from its answer before the deadline, and starts nothing', async () => {
    const b = bench();
    const reading: ReadingPolicy = { option: 'reading', read: forever };
    let runs = 0;
    const process = b.processor(() => (runs += 1), { reading });
    const { answer, tookMs } = await answered(b.clock, () => process(secondDelivery, b.lambda(BUDGET_MS)));
    expect(tookMs).toBeLessThan(BUDGET_MS);
    expect(failed(answer as never)).toEqual(ids(10));
    expect(runs).toBe(0);
    expect(b.eventsOf('notStarted')).toHaveLength(10);
  });
});
