import { describe, expect, it } from '@jest/globals';
import { payloadHash, PermanentError, type RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type SqsMessage, sqsEvent } from 'batchlatch/testing';
import * as fc from 'fast-check';
import { type Bench, bench, deferred, failed, fifo, forever, ids, inTime, messages } from '../batch/bench.ts';
import { onEachStore, until } from '../batch/on-each-store.ts';

/** Notes who runs, in order, and fails those whose id is listed. */
function noting(runs: string[], ...failing: string[]): RecordHandler {
  return ({ id }) => {
    runs.push(id);
    if (failing.includes(id)) throw new Error('declined');
  };
}

describe('O1: a failure in a message group', () => {
  it('holds back what comes after it in its group, and nothing of other groups', async () => {
    const b = bench();
    const runs: string[] = [];
    const process = b.processor(noting(runs, 'a2'));
    expect(failed(await process(fifo('a1', 'b1', 'a2', 'c1', 'a3', 'b2', 'a4')))).toEqual(['a2', 'a3', 'a4']);
    expect(runs.toSorted()).toEqual(['a1', 'a2', 'b1', 'b2', 'c1']);
    expect(b.eventsOf('notStarted')).toMatchObject([
      { recordId: 'a3', reason: 'order' },
      { recordId: 'a4', reason: 'order' },
    ]);
  });

  it('lets an equal message of another group run, although the one that led it is held back', async () => {
    const b = bench();
    const runs: string[] = [];
    const sameWork = ({ id }: { readonly id: string }): string => (id === 'a1' ? id : 'same');
    const process = b.processor(noting(runs, 'a1'), { key: sameWork });
    expect(failed(await process(fifo('a1', 'a2', 'b1', 'c1')))).toEqual(['a1', 'a2']);
    expect(runs).toEqual(['a1', 'b1']);
    expect(b.eventsOf('duplicate')).toMatchObject([{ recordId: 'c1', within: 'batch' }]);
  });

  it('leaves no claim of what it holds back: it can run elsewhere at once, and has no attempt less', async () => {
    const b = bench();
    await b.processor(noting([], 'a1'))(fifo('a1', 'a2'));
    expect(await b.claim('a1')).toMatchObject({ status: 'FAILED', releases: 0 });
    expect(await b.claim('a2')).toMatchObject({ status: 'FAILED', releases: 1, attempt: 1 });

    const runs: string[] = [];
    const again = b.processor(noting(runs), { maxAttempts: 2 });
    expect(failed(await again(fifo('a1', 'a2')))).toEqual([]);
    expect(runs).toEqual(['a1', 'a2']);
  });

  it('is over when the failed message succeeds: the group goes on where it stood', async () => {
    const b = bench();
    const runs: string[] = [];
    const first = await b.processor(noting(runs, 'a2'))(fifo('a1', 'a2', 'a3'));
    expect(failed(first)).toEqual(['a2', 'a3']);
    // FIFO queues deliver the whole rest of a group again, and with it what this batch had acknowledged late.
    expect(failed(await b.processor(noting(runs))(fifo('a1', 'a2', 'a3')))).toEqual([]);
    expect(runs).toEqual(['a1', 'a2', 'a2', 'a3']);
  });

  it('never lets two messages of a group run at once, however many slots there are', async () => {
    const b = bench();
    const running = new Set<string>();
    const runs: string[] = [];
    const handler: RecordHandler = async ({ id }) => {
      const group = id.charAt(0);
      expect(running.has(group)).toBe(false);
      running.add(group);
      await Promise.resolve();
      runs.push(id);
      running.delete(group);
    };
    const batch = ids(60).map((_, index) => `${'abcdef'.charAt(index % 6)}${index}`);
    expect(failed(await b.processor(handler, { concurrency: 50 })(fifo(...batch)))).toEqual([]);
    for (const group of 'abcdef') {
      const ofGroup = (id: string): boolean => id.startsWith(group);
      expect(runs.filter(ofGroup)).toEqual(batch.filter(ofGroup));
    }
  });

  it('starts a message only after the completion of the one before it is stored', async () => {
    const b = bench();
    const statuses: unknown[] = [];
    const handler: RecordHandler = async ({ id }) => {
      if (id === 'a2') statuses.push((await b.claim('a1'))?.status);
    };
    await b.processor(handler)(fifo('a1', 'a2'));
    expect(statuses).toEqual(['COMPLETED']);
  });

  it('counts also when the completion could not be stored', async () => {
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        settle: async (settlements) =>
          settlements.some(({ key }) => key.endsWith('a1')) ? ['lost'] : store.settle(settlements),
      };
    });
    const runs: string[] = [];
    expect(failed(await b.processor(noting(runs))(fifo('a1', 'a2')))).toEqual(['a1', 'a2']);
    expect(runs).toEqual(['a1']);
    expect(b.typesOf('a1').at(-1)).toBe('leaseLost');
  });

  it('counts also when the handler hangs: its group waits, the others do not', async () => {
    const b = bench();
    const runs: string[] = [];
    const handler: RecordHandler = ({ id }) => {
      runs.push(id);
      return id === 'a1' ? forever() : undefined;
    };
    const answer = b.processor(handler, { recordTimeoutMs: 100 })(fifo('a1', 'a2', 'b1', 'b2'));
    await b.clock.advance(1_000);
    expect(failed(await answer)).toEqual(['a1', 'a2']);
    expect(runs).toEqual(['a1', 'b1', 'b2']);
  });

  it('keeps the order and acknowledges nothing behind a failure, whatever fails', async () => {
    const group = fc.constantFrom('a', 'b', 'c');
    const message = fc.record({ group, end: fc.constantFrom('ok', 'ok', 'ok', 'throws', 'malformed') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        async (given, concurrency) => {
          const batch = given.map((one, index) => ({ ...one, id: `${one.group}${index}` }));
          const event = fifo(...batch.map(({ id }) => id));
          batch.forEach(({ end }, index) => {
            if (end === 'malformed') Object.assign(event.Records[index] as object, { body: null });
          });
          const runs: string[] = [];
          const throwing = batch.filter(({ end }) => end === 'throws').map(({ id }) => id);
          const answer = await bench().processor(noting(runs, ...throwing), { concurrency })(event);

          const blocked = new Set<string>();
          const expectedRuns: string[] = [];
          const expectedFailures: string[] = [];
          for (const { id, end, group } of batch) {
            if (!blocked.has(group) && end !== 'malformed') expectedRuns.push(id);
            if (end !== 'ok') blocked.add(group);
            if (blocked.has(group)) expectedFailures.push(id);
          }
          expect(failed(answer)).toEqual(expectedFailures);
          expect(runs.toSorted()).toEqual(expectedRuns.toSorted());
          for (const name of 'abc') {
            const ofGroup = (id: string): boolean => id.startsWith(name);
            expect(runs.filter(ofGroup)).toEqual(expectedRuns.filter(ofGroup));
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('O2: a key that is not free in a message group', () => {
  it.each<[string, (b: Bench) => Promise<void>]>([
    ['claimed by somebody else', (b) => b.occupy('a2')],
    [
      'parked',
      async (b) => {
        const handler: RecordHandler = () => {
          throw new PermanentError('unknown product');
        };
        await b.run(handler, ['a2']);
      },
    ],
  ])('blocks its group, and no other: %s', async (_, prepare) => {
    const b = bench();
    await prepare(b);
    const runs: string[] = [];
    const answer = await b.processor(noting(runs))(fifo('a1', 'b1', 'a2', 'a3', 'b2'));
    expect(failed(answer)).toEqual(['a2', 'a3']);
    expect(runs.toSorted()).toEqual(['a1', 'b1', 'b2']);
    expect(await b.claim('a3')).toMatchObject({ status: 'FAILED', releases: 1 });
  });

  it('blocks its group when the payload is another one', async () => {
    const b = bench();
    const options = { payloadValidation: payloadHash({ include: ['amountCents'] }) };
    const fifoOrders = (...orders: [id: string, amountCents: number][]): ReturnType<typeof sqsEvent> =>
      sqsEvent(
        orders.map(([messageId, amountCents]): SqsMessage => {
          return { messageId, body: { amountCents }, messageGroupId: messageId.charAt(0) };
        }),
        { fifo: true },
      );
    await b.processor(noting([]), options)(fifoOrders(['a2', 100]));

    const runs: string[] = [];
    const answer = await b.processor(
      noting(runs),
      options,
    )(fifoOrders(['a1', 1], ['a2', 999], ['a3', 1], ['b1', 1]));
    expect(failed(answer)).toEqual(['a2', 'a3']);
    expect(runs.toSorted()).toEqual(['a1', 'b1']);
    expect(b.typesOf('a2').at(-1)).toBe('mismatch');
  });

  it('blocks its group when the store cannot say whether it is free', async () => {
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        acquire: async (requests) => {
          const outcomes = await store.acquire(requests);
          return outcomes.map((outcome, index) =>
            requests[index]?.key.endsWith('a1') === true
              ? { status: 'error', error: new Error('throttled') }
              : outcome,
          );
        },
      };
    });
    const runs: string[] = [];
    expect(failed(await b.processor(noting(runs))(fifo('a1', 'a2', 'b1')))).toEqual(['a1', 'a2']);
    expect(runs).toEqual(['b1']);
    expect(b.eventsOf('claimFailed')).toMatchObject([{ recordId: 'a1', error: { message: 'throttled' } }]);
  });

  it('blocks nothing when it is a duplicate', async () => {
    const b = bench();
    await b.run(noting([]), ['a1']);
    const runs: string[] = [];
    expect(failed(await b.processor(noting(runs))(fifo('a1', 'a2')))).toEqual([]);
    expect(runs).toEqual(['a2']);
  });

  it('blocks its group when the message cannot be read, also where no group is to be seen', async () => {
    const b = bench();
    const event = fifo('a1', 'a2', 'b1');
    Object.assign(event.Records[0] as object, { body: null });
    const runs: string[] = [];
    expect(failed(await b.processor(noting(runs))(event))).toEqual(['a1', 'a2']);
    expect(runs).toEqual(['b1']);
  });

  it('blocks its group when the lease ran down and another attempt took over while the handler ran', async () => {
    const b = bench();
    const end = deferred();
    const runs: string[] = [];
    const handler: RecordHandler = ({ id }) => {
      runs.push(id);
      return id === 'a1' ? end.promise : undefined;
    };
    const answer = b.processor(handler, { leaseMs: 1_000 })(fifo('a1', 'a2', 'b1'));
    await b.clock.advance(1_000);
    await b.occupy('a1');
    end.resolve();
    expect(failed(await answer)).toEqual(['a1', 'a2']);
    expect(runs).toEqual(['a1', 'b1']);
  });
});

describe('O3: a standard queue whose messages carry a MessageGroupId', () => {
  it('is not FIFO: a failure holds nothing back', async () => {
    const event = sqsEvent(ids(6).map((messageId) => ({ messageId, body: {}, messageGroupId: 'tenant-1' })));
    const runs: string[] = [];
    const answer = await bench().processor(noting(runs, 'r1'))(event);
    expect(failed(answer)).toEqual(['r1']);
    expect(runs).toEqual(ids(6));
  });

  it('runs the messages of one tenant side by side', async () => {
    const b = bench();
    const event = sqsEvent(ids(3).map((messageId) => ({ messageId, body: {}, messageGroupId: 'tenant-1' })));
    const all = deferred();
    let running = 0;
    const handler: RecordHandler = () => {
      running += 1;
      if (running === 3) all.resolve();
      return all.promise;
    };
    expect(failed(await b.processor(handler)(event))).toEqual([]);
  });

  it('is not FIFO for a queue that only has the word in its name', async () => {
    const event = sqsEvent(
      ids(3).map((messageId) => ({ messageId, body: {}, messageGroupId: 'g' })),
      { queueName: 'not.fifo-yet' },
    );
    expect(failed(await bench().processor(noting([], 'r0'))(event))).toEqual(['r0']);
  });
});

describe('Equal keys across message groups', () => {
  /** Two messages whose bodies name the same work are equal, whatever group they are in. */
  function ofWork(...messages: [id: string, work: string][]): ReturnType<typeof sqsEvent> {
    return sqsEvent(
      messages.map(([messageId, work]) => ({ messageId, body: work, messageGroupId: messageId.charAt(0) })),
      { fifo: true },
    );
  }
  const key = ({ rawBody }: { readonly rawBody: string }): string => rawBody;

  it.each([1, 10])('do not deadlock when each group follows the other, %i at once', async (concurrency) => {
    const b = bench();
    const runs: string[] = [];
    const process = b.processor(noting(runs), { key, concurrency });
    const event = ofWork(['a1', 'X'], ['b1', 'Y'], ['a2', 'Y'], ['b2', 'X'], ['a3', 'Z'], ['b3', 'Z']);
    expect(failed(await process(event))).toEqual([]);
    expect(runs.toSorted()).toEqual(['a1', 'a3', 'b1']);
  });

  it('hand a failure on to the group that follows, which then holds its order', async () => {
    const b = bench();
    const runs: string[] = [];
    const process = b.processor(noting(runs, 'a1'), { key });
    const event = ofWork(['a1', 'X'], ['b1', 'X'], ['b2', 'Y'], ['c1', 'Z']);
    expect(failed(await process(event))).toEqual(['a1', 'b1', 'b2']);
    expect(runs.toSorted()).toEqual(['a1', 'c1']);
  });

  it('let another group run what a message would have led that its own group held back', async () => {
    const b = bench();
    const runs: string[] = [];
    const process = b.processor(noting(runs, 'a1'), { key });
    const event = ofWork(['a1', 'W'], ['a2', 'X'], ['b1', 'X'], ['b2', 'Y']);
    expect(failed(await process(event))).toEqual(['a1', 'a2']);
    expect(runs).toEqual(['a1', 'b1', 'b2']);
  });

  it('wait together for a group whose head died, and run in its turn', async () => {
    const b = bench();
    await b.die('W');
    const runs: string[] = [];
    const process = b.processor(noting(runs), { key });
    const event = ofWork(['a1', 'W'], ['a2', 'X'], ['b1', 'X'], ['b2', 'Y'], ['c1', 'Z']);
    expect(failed(await process(event))).toEqual([]);
    expect(runs).toEqual(['c1', 'a1', 'a2', 'b2']);
  });

  it('get to their end when the group that follows is put off before the group that leads', async () => {
    const b = bench();
    await b.die('V', 'W');
    const runs: string[] = [];
    const process = b.processor(noting(runs), { key });
    // b1 is first in the batch and b2 follows a2, which waits behind a1: neither group can end before the other began.
    const event = ofWork(['b1', 'V'], ['a1', 'W'], ['a2', 'X'], ['b2', 'X'], ['b3', 'Y']);
    expect(failed(await process(event))).toEqual([]);
    expect(runs).toEqual(['b1', 'a1', 'a2', 'b3']);
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { completed: 4, duplicate: 1 } }]);
  });
});

onEachStore((makeStore) => {
  describe('A message group whose head died in its last attempt', () => {
    it('waits as a whole until the others have ended; its order stays', async () => {
      const b = bench(makeStore);
      await b.die('a1');
      const runs: string[] = [];
      const process = b.processor(noting(runs));
      expect(failed(await process(fifo('a1', 'a2', 'b1', 'a3', 'b2')))).toEqual([]);
      expect(runs).toEqual(['b1', 'b2', 'a1', 'a2', 'a3']);
    });

    it('is blocked by it as by any other, when it fails again', async () => {
      const b = bench(makeStore);
      await b.die('a1');
      const runs: string[] = [];
      const process = b.processor(noting(runs, 'a1'));
      expect(failed(await process(fifo('a1', 'a2', 'b1')))).toEqual(['a1', 'a2']);
      expect(runs).toEqual(['b1', 'a1']);
    });

    it('waits from the dead one on, when that is not the first', async () => {
      const b = bench(makeStore);
      await b.die('a2');
      const runs: string[] = [];
      const process = b.processor(noting(runs));
      expect(failed(await process(fifo('a1', 'a2', 'a3', 'b1')))).toEqual([]);
      expect(runs.slice(0, 2).toSorted()).toEqual(['a1', 'b1']);
      expect(runs.slice(2)).toEqual(['a2', 'a3']);
    });

    it('gives each claim back only once', async () => {
      const b = bench(makeStore);
      await b.die('a1');
      await b.processor(noting([], 'a1'))(fifo('a1', 'a2', 'a3', 'b1'));
      const released = b
        .eventsOf('settling')
        .flatMap(({ ends }) => ends.filter(({ end }) => end === 'release'));
      expect(released.map(({ recordId }) => recordId).toSorted()).toEqual(['a1', 'a2', 'a3']);
    });

    it('is handed back when somebody else claims it before its turn', async () => {
      const b = bench(makeStore);
      await b.die('a1');
      const handler: RecordHandler = async ({ id }) => {
        if (id !== 'b1') return;
        await b.clock.advance(5); // the release waits so long for others that end
        await until(async () => (await b.claim('a1'))?.status === 'FAILED');
        await b.occupy('a1');
      };
      expect(failed(await b.processor(handler)(fifo('a1', 'a2', 'b1')))).toEqual(['a1', 'a2']);
      expect(b.typesOf('a1').at(-1)).toBe('conflict');
    });
  });
});

describe('Many message groups', () => {
  it.each([1, 2, 10])('get to their end however they are mixed, with %i slots', async (concurrency) => {
    // Far more groups than are claimed ahead, and the second message of each far behind the first.
    const groups = ids(200).map((_, index) => String.fromCodePoint(0x4e00 + index));
    const batch = [1, 2, 3].flatMap((nth) => groups.map((group) => `${group}${nth}`));
    const runs: string[] = [];
    const b = bench();
    const answer = b.processor(noting(runs), { concurrency })(fifo(...batch));
    expect(failed(await inTime(b.clock, answer))).toEqual([]);
    expect(runs).toHaveLength(batch.length);
    for (const group of groups) {
      expect(runs.filter((id) => id.startsWith(group))).toEqual([`${group}1`, `${group}2`, `${group}3`]);
    }
  });
});

describe('Any batch without failures', () => {
  it('gets to its end in order, whatever in it is equal, dead or done before', async () => {
    const group = fc.integer({ min: 0, max: 19 });
    const message = fc.record({ group, work: fc.integer({ min: 0, max: 99 }) });
    const someWork = fc.subarray(Array.from({ length: 100 }, (_, work) => `${work}`));
    const sizes = fc.record({
      concurrency: fc.integer({ min: 1, max: 3 }),
      requestSize: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { maxLength: 100, size: 'max' }),
        someWork,
        someWork,
        sizes,
        fc.boolean(),
        async (given, dead, done, { concurrency, requestSize }, isFifo) => {
          const b = bench((clock) => ({ ...memoryStore({ clock }), requestSize }));
          const batch = given.map((one, index) => ({ ...one, id: `${one.group}-${index}` }));
          const event = sqsEvent(
            batch.map(({ id, group, work }) => ({
              messageId: id,
              body: `${work}`,
              messageGroupId: `${group}`,
            })),
            { fifo: isFifo },
          );
          const key = ({ rawBody }: { readonly rawBody: string }): string => rawBody;
          await b.run(noting([]), done);
          await b.die(...dead.filter((work) => !done.includes(work)));

          const runs: string[] = [];
          const process = b.processor(noting(runs), { key, concurrency });
          expect(failed(await inTime(b.clock, process(event)))).toEqual([]);

          const works = batch.map(({ work }) => `${work}`).filter((work) => !done.includes(work));
          expect(runs).toHaveLength(new Set(works).size);
          if (!isFifo) return;
          for (const name of new Set(batch.map(({ group }) => `${group}-`))) {
            const indexes = runs
              .filter((id) => id.startsWith(name))
              .map((id) => Number(id.slice(name.length)));
            expect(indexes).toEqual(indexes.toSorted((one, other) => one - other));
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('Many records that died', () => {
  it.each([1, 2, 10])('run one after the other, with %i slots', async (concurrency) => {
    const b = bench();
    const batch = ids(60);
    await b.die(...batch);
    let running = 0;
    const runs: string[] = [];
    const handler: RecordHandler = async ({ id }) => {
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      runs.push(id);
      running -= 1;
    };
    expect(failed(await b.processor(handler, { concurrency })(messages(...batch)))).toEqual([]);
    expect(runs).toEqual(batch);
  });

  it('run in the order of the batch, whichever was put off first', async () => {
    const b = bench();
    await b.die('a2', 'b1');
    const gate = deferred();
    const runs: string[] = [];
    const handler: RecordHandler = ({ id }) => {
      runs.push(id);
      return id === 'a1' ? gate.promise : undefined;
    };
    const answer = b.processor(handler)(fifo('a1', 'a2', 'b1'));
    await b.clock.advance(5); // b1 has given its claim back, and a1 still runs
    expect((await b.claim('b1'))?.status).toBe('FAILED');
    gate.resolve();
    expect(failed(await answer)).toEqual([]);
    expect(runs).toEqual(['a1', 'a2', 'b1']);
  });

  it('run in the order of their groups, with one slot', async () => {
    const b = bench();
    const batch = ids(60).map((_, index) => `${'abc'.charAt(index % 3)}${index}`);
    await b.die(...batch);
    const runs: string[] = [];
    expect(failed(await b.processor(noting(runs), { concurrency: 1 })(fifo(...batch)))).toEqual([]);
    for (const group of 'abc') {
      const ofGroup = (id: string): boolean => id.startsWith(group);
      expect(runs.filter(ofGroup)).toEqual(batch.filter(ofGroup));
    }
  });

  it('among many that did not are never in the way of those', async () => {
    const b = bench();
    const batch = ids(100);
    const dead = batch.filter((_, index) => index % 3 === 0);
    await b.die(...dead);
    const runs: string[] = [];
    expect(failed(await b.processor(noting(runs), { concurrency: 2 })(messages(...batch)))).toEqual([]);
    expect(runs).toEqual([...batch.filter((_, index) => index % 3 !== 0), ...dead]);
  });
});
