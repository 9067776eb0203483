import { describe, expect, it } from '@jest/globals';
import type { ClaimStatus, RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type Bench, bench, deferred, failed, fifo, forever, ids, messages } from './bench.ts';
import { onEachStore, until } from './on-each-store.ts';

/** How the rows of these records stand. */
async function statuses(b: Bench, ...records: string[]): Promise<Record<string, ClaimStatus | undefined>> {
  const rows = await Promise.all(records.map(async (id) => [id, (await b.claim(id))?.status] as const));
  return Object.fromEntries(rows);
}

onEachStore((makeStore) => {
  describe('A record whose last attempt died', () => {
    it('runs after all others have settled, whatever its place in the batch', async () => {
      const b = bench(makeStore);
      await b.die('poison');
      let seen: unknown;
      const handler: RecordHandler = async ({ id }) => {
        if (id === 'fails') throw new Error('declined');
        if (id === 'poison') seen = await statuses(b, 'poison', 'good', 'fails', 'fine');
      };
      expect(await b.run(handler, ['poison', 'good', 'fails', 'fine'])).toEqual(['fails']);
      expect(seen).toEqual({ poison: 'IN_PROGRESS', good: 'COMPLETED', fails: 'FAILED', fine: 'COMPLETED' });
    });

    it('runs alone: no other claim is held meanwhile, neither of its kind nor of what waits behind it', async () => {
      const b = bench(makeStore);
      const batch = ['a1', 'b1', 'a2', 'c1', 'b2'];
      await b.die('a1', 'b1');
      const held: Record<string, string[]> = {};
      const handler: RecordHandler = async ({ id }) => {
        if (id === 'c1') return;
        const rows = await statuses(b, ...batch);
        held[id] = batch.filter((one) => rows[one] === 'IN_PROGRESS');
      };
      expect(failed(await b.processor(handler)(fifo(...batch)))).toEqual([]);
      expect(held).toEqual({ a1: ['a1'], b1: ['b1'], a2: ['a2'], b2: ['b2'] });
    });

    it('holds no claim while it waits for its turn', async () => {
      const b = bench(makeStore);
      await b.die('poison');
      const gate = deferred();
      const handler: RecordHandler = ({ id }) => (id === 'slow' ? gate.promise : 'done');
      const answer = b.run(handler, ['poison', 'slow'], { leaseMs: 3_600_000 });
      await b.told('started', 'slow');
      await b.clock.advance(5); // the release waits so long for others that end
      await until(async () => (await b.claim('poison'))?.status === 'FAILED');
      expect(await b.claim('poison')).toMatchObject({ attempt: 2, releases: 1, crashes: 1 });
      gate.resolve();
      expect(await answer).toEqual([]);
    });

    it('takes no neighbour with it when it kills the process again', async () => {
      const b = bench(makeStore);
      const batch = ['good', 'poison', 'fine'];
      await b.die('poison');
      // A handler that never ends, in an invocation that nobody waits for, is a process that died.
      const kills: RecordHandler = ({ id }) => (id === 'poison' ? forever() : 'done');
      void b.run(kills, batch);
      await b.told('started', 'poison');
      expect(await statuses(b, ...batch)).toEqual({
        good: 'COMPLETED',
        poison: 'IN_PROGRESS',
        fine: 'COMPLETED',
      });

      await b.clock.advance(60_000);
      const runs: string[] = [];
      const survives: RecordHandler = ({ id }) => void runs.push(id);
      expect(await b.run(survives, [...batch, 'new'])).toEqual([]);
      expect(runs).toEqual(['new', 'poison']);
      expect(b.eventsOf('tookOver').map(({ crashes }) => crashes)).toEqual([1, 2]);
    });

    it('runs side by side with the others again once it has failed in order', async () => {
      const b = bench(makeStore);
      await b.die('a');
      await b.run(() => Promise.reject(new Error('declined')), ['a']);
      expect(await b.claim('a')).toMatchObject({ status: 'FAILED', crashes: 0 });

      const both = deferred();
      let count = 0;
      const meet: RecordHandler = () => {
        count += 1;
        if (count === 2) both.resolve();
        return both.promise;
      };
      expect(await b.run(meet, ['a', 'b'])).toEqual([]);
    });

    it('keeps waiting for its turn after an invocation that had no time for it', async () => {
      const b = bench(makeStore);
      await b.die('poison');
      const handler: RecordHandler = ({ id }) => (id === 'slow' ? forever() : 'done');
      const answer = b.processor(handler)(messages('poison', 'slow'), b.lambda(3_000));
      await b.told('started', 'slow');
      await b.clock.advance(5);
      await until(async () => (await b.claim('poison'))?.status === 'FAILED');
      await b.clock.advance(2_495);
      expect(failed(await answer)).toEqual(['poison', 'slow']);
      expect(b.eventsOf('notStarted')).toMatchObject([{ recordId: 'poison', reason: 'deadline' }]);
      expect(b.typesOf('poison')).toEqual(['claimed', 'tookOver', 'settling', 'notStarted']);
      expect((await b.claim('poison'))?.crashes).toBe(1);

      const runs: string[] = [];
      expect(await b.run(({ id }) => void runs.push(id), ['poison', 'new'])).toEqual([]);
      expect(runs).toEqual(['new', 'poison']);
    });
  });
});

describe('A record whose last attempt died', () => {
  it('leaves its slot to the others', async () => {
    const b = bench();
    await b.die('poison');
    const runs: string[] = [];
    const batch = ['poison', ...ids(5)];
    expect(await b.run(({ id }) => void runs.push(id), batch, { concurrency: 1 })).toEqual([]);
    expect(runs).toEqual([...ids(5), 'poison']);
  });

  it('is handed back, unstarted, when its claim cannot be given back for later', async () => {
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        settle: (settlements) =>
          Promise.all(
            settlements.map(async (one) =>
              one.end === 'release' ? 'lost' : ((await store.settle([one]))[0] ?? 'lost'),
            ),
          ),
      };
    });
    await b.die('poison');
    const runs: string[] = [];
    expect(await b.run(({ id }) => void runs.push(id), ['poison', 'good'])).toEqual(['poison']);
    expect(runs).toEqual(['good']);
    expect(b.eventsOf('notStarted')).toMatchObject([{ recordId: 'poison', reason: 'lease-lapsed' }]);
  });

  it('is a duplicate when somebody else has completed it before its turn', async () => {
    const b = bench();
    await b.die('poison');
    const handler: RecordHandler = async ({ id }) => {
      if (id !== 'good') throw new Error('must not run');
      await b.clock.advance(5);
      await b.store.acquire([{ key: b.key('poison'), owner: 'other', leaseMs: 1_000, retentionMs: 60_000 }]);
      await b.store.settle([{ key: b.key('poison'), owner: 'other', end: 'complete', retentionMs: 60_000 }]);
    };
    expect(await b.run(handler, ['poison', 'good'])).toEqual([]);
  });
});
