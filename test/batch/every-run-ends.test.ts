import { describe, expect, it } from '@jest/globals';
import { type BatchHandler, createBatchProcessor, payloadHash, type RecordHandler } from 'batchlatch';
import { sqsEvent } from 'batchlatch/testing';
import * as fc from 'fast-check';
import { bench, failed, inTime } from './bench.ts';
import { turn } from './on-each-store.ts';

/** A batch of a FIFO queue as far as it decides who waits for whom. */
interface Plan {
  readonly records: readonly { readonly group: number; readonly key: number; readonly amount: number }[];
  readonly concurrency: number;
  readonly turns: number;
  readonly failing: readonly number[];
}

const plans: fc.Arbitrary<Plan> = fc
  .record({ groups: fc.integer({ min: 1, max: 12 }), keys: fc.constantFrom(3, 30, 10_000) })
  .chain(({ groups, keys }) =>
    fc.record({
      records: fc.array(
        fc.record({
          group: fc.nat({ max: groups - 1 }),
          key: fc.nat({ max: keys }),
          amount: fc.nat({ max: 1 }),
        }),
        { maxLength: 100, size: 'max' },
      ),
      concurrency: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(Infinity)),
      turns: fc.nat({ max: 3 }),
      failing: fc.array(fc.nat({ max: 99 }), { maxLength: 3 }),
    }),
  );

function eventOf({ records }: Pick<Plan, 'records'>): ReturnType<typeof sqsEvent> {
  return sqsEvent(
    records.map(({ group, key, amount }, index) => ({
      messageId: `r${index}`,
      messageGroupId: `g${group}`,
      body: { key, amount },
    })),
    { fifo: true },
  );
}

/** Runs it outside Lambda, where no deadline ends what waits for itself; gives what is handed back. */
async function ends(plan: Plan, kind: 'record' | 'batch'): Promise<string[]> {
  const b = bench();
  const { store, clock } = b;
  const isFailing = (id: string): boolean => plan.failing.includes(Number(id.slice(1)));
  const options = {
    store,
    clock,
    observer: { onEvent: () => undefined },
    namespace: 'n',
    key: ({ body }: { body: unknown }) => String((body as { key: number }).key),
    payloadValidation: payloadHash({ include: ['amount'] }),
    ...(plan.concurrency !== Infinity && { concurrency: plan.concurrency }),
  };
  const together: BatchHandler = async (items) => {
    for (let left = plan.turns; left > 0; left -= 1) await turn();
    return items.map(({ record }) => (isFailing(record.id) ? new Error('no') : undefined));
  };
  const alone: RecordHandler = async (record) => {
    for (let left = plan.turns; left > 0; left -= 1) await turn();
    if (isFailing(record.id)) throw new Error('no');
  };
  const handler =
    kind === 'batch'
      ? createBatchProcessor.forBatches(together, options)
      : createBatchProcessor(alone, options);
  return failed(await inTime(clock, handler(eventOf(plan))));
}

/** Records of these groups, in this order, each with a key of its own. */
function plan(groups: readonly number[], concurrency: number): Plan {
  const records = groups.map((group, key) => ({ group, key, amount: 0 }));
  return { records, concurrency, turns: 1, failing: [] };
}

describe('every run ends by itself', () => {
  it.each(['record', 'batch'] as const)('with a %s handler, over lanes, keys and bounds', async (kind) => {
    await fc.assert(
      fc.asyncProperty(plans, async (some) => {
        const handedBack = await ends(some, kind);
        expect(handedBack.every((id) => Number(id.slice(1)) < some.records.length)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('where a second message group waits behind a hot one', async () => {
    const groups = [...Array.from({ length: 39 }, () => 0), 1];
    expect(await ends(plan(groups, 10), 'batch')).toEqual([]);
    const both = Array.from({ length: 40 }, (_, index) => (index < 21 ? 0 : index % 2));
    expect(await ends(plan(both, 10), 'batch')).toEqual([]);
  });

  it('where as many message groups as slots share a hundred records', async () => {
    for (let shift = 0; shift < 10; shift += 1) {
      const groups = Array.from({ length: 100 }, (_, index) => (index * index + shift) % 10);
      expect(await ends(plan(groups, 10), 'batch')).toEqual([]);
    }
  });
});
