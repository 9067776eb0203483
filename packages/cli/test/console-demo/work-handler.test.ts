import { describe, expect, it } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import { releaseClaim } from 'batchlatch/operations';
import { lambdaContext, manualClock, sqsEvent } from 'batchlatch/testing';
import { idOf, keyOf, kindOf, numberIn } from '../../src/console-demo/kinds-of-work.ts';
import { FIRST_NUMBER, type Trouble, troubleOf } from '../../src/console-demo/trouble.ts';
import { withDeaths, workHandler } from '../../src/console-demo/work-handler.ts';

const SEED = 1;

/** A piece of work with this trouble. */
function workWith(trouble: Trouble): { kind: ReturnType<typeof kindOf>; id: string; key: string } {
  let number = FIRST_NUMBER;
  while (troubleOf(SEED, number) !== trouble) number += 1;
  const kind = kindOf(number);
  const id = idOf(kind, number);
  return { kind, id, key: keyOf(kind, id) };
}

function setup(trouble: Trouble): {
  store: ReturnType<typeof memoryStore>;
  key: string;
  deadLetters: string[];
  advance(ms: number): Promise<void>;
  deliver(): Promise<unknown>;
} {
  const { kind, id, key } = workWith(trouble);
  const clock = manualClock(Date.now());
  const store = memoryStore({ clock });
  const deadLetters: string[] = [];
  const work = workHandler({
    kind,
    seed: SEED,
    store,
    sqs: {
      changeMessageVisibilityBatch: async () => ({}),
      sendMessage: async ({ MessageBody = '' }: { readonly MessageBody?: string | undefined }) => {
        deadLetters.push(MessageBody);
        return {};
      },
    },
    queueUrl: 'http://127.0.0.1:9/000000000000/orders',
    deadLetterUrl: 'http://127.0.0.1:9/000000000000/orders-dead-letters',
    retentionMs: 60_000,
    delay: () => Promise.resolve(),
  });
  let ids = 0;
  const handler = withDeaths(work, {
    kind,
    seed: SEED,
    store,
    newId: () => `owner-${(ids += 1)}`,
    leaseMs: 4_000,
  });
  const event = sqsEvent([{ body: JSON.stringify(kind.body(id, 5)) }]);
  return {
    store,
    key,
    deadLetters,
    advance: (ms) => clock.advance(ms),
    deliver: () => handler(event, lambdaContext()),
  };
}

const failures = (response: unknown): number =>
  (response as { batchItemFailures: unknown[] }).batchItemFailures.length;

describe('Work that kills its process', () => {
  it('leaves a claim that nobody settles, until its queue has given it up; sent back, it is done', async () => {
    const { store, key, advance, deliver } = setup('kills-its-process');
    for (const attempt of [1, 2, 3]) {
      expect(failures(await deliver())).toBe(1);
      expect(await store.inspect(key)).toMatchObject({ status: 'IN_PROGRESS', attempt });
      await advance(5_000);
    }
    expect(failures(await deliver())).toBe(0);
    expect(await store.inspect(key)).toMatchObject({ status: 'COMPLETED' });
    expect(failures(await deliver())).toBe(0);
  });
});

describe('Work that is declined', () => {
  it('is parked with its message in the dead-letter queue, and done once it was released', async () => {
    const { store, key, deadLetters, deliver } = setup('declined');
    await deliver();
    expect(deadLetters).toHaveLength(1);
    const claim = await store.inspect(key);
    expect(claim).toMatchObject({ status: 'PARKED', attempt: 1, error: { name: expect.any(String) } });
    await deliver();
    expect(await store.inspect(key)).toEqual(claim);
    if (claim === undefined) throw new Error('it has no claim');
    await releaseClaim(store, claim, { operator: 'ann', reason: 'called the bank' });
    await deliver();
    expect(await store.inspect(key)).toMatchObject({ status: 'COMPLETED', attempt: 2 });
  });
});

it('Numbers are read from ids, however long', () => {
  expect(['o-1001', 'o-', `o-${'9'.repeat(30)}`].map(numberIn)).toEqual([1001, 0, 999_999_999_999_999]);
});
