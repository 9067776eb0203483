import { describe, expect, it } from '@jest/globals';
import type { RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type Bench, bench, type Deferred, deferred, failed, fifo, forever, ids, messages } from './bench.ts';

/** A linger that no test here waits out by accident. */
const LONG_LINGER = { settleLingerMs: 60_000 };

/** Ends at once, but for what is called `slow`. */
const quickBut = (slow: () => unknown): RecordHandler => {
  return ({ id }) => (id === 'slow' ? slow() : 'done');
};

/** A bench that notes how many settlements each write carries. */
function counting(): Bench & { readonly writes: number[] } {
  const writes: number[] = [];
  const b = bench((clock) => {
    const store = memoryStore({ clock });
    return {
      ...store,
      settle(settlements) {
        writes.push(settlements.length);
        return store.settle(settlements);
      },
    };
  });
  return Object.assign(b, { writes });
}

describe('A record that has ended', () => {
  it('waits for others that run, to be settled with them', async () => {
    const b = counting();
    const end = deferred();
    const answer = b.run(
      quickBut(() => end.promise),
      ['quick', 'slow', 'fast'],
      LONG_LINGER,
    );
    await b.clock.advance(1_000);
    expect(b.writes).toEqual([]);
    end.resolve();
    expect(await answer).toEqual([]);
    expect(b.writes).toEqual([3]);
  });

  it('waits no longer than `settleLingerMs`', async () => {
    const b = counting();
    void b.run(quickBut(forever), ['quick', 'slow', 'fast']);
    await b.clock.advance(4);
    expect(b.writes).toEqual([]);
    await b.clock.advance(1);
    expect(b.writes).toEqual([2]);
    expect((await b.claim('quick'))?.status).toBe('COMPLETED');
  });

  it('does not wait when a request is full', async () => {
    const b = counting();
    const batch = [...ids(24), 'slow', ...ids(24, 's')];
    void b.run(quickBut(forever), batch, { ...LONG_LINGER, concurrency: 50 });
    await b.clock.advance(0);
    expect(b.writes).toEqual([25]);
  });

  it('waits no longer when the last that could bring company turns out to be claimed elsewhere', async () => {
    const gate = deferred();
    const b = requestingTwoAtATime(gate);
    await b.occupy('taken', 'late');
    const answer = b.run(() => 'done', ['quick', 'taken', 'late'], LONG_LINGER);
    await b.clock.advance(1_000);
    expect((await b.claim('quick'))?.status).toBe('IN_PROGRESS');
    gate.resolve();
    await b.clock.advance(0);
    expect(await answer).toEqual(['taken', 'late']);
  });

  it('waits no longer when the last that could bring company is given up', async () => {
    const b = counting();
    const options = { ...LONG_LINGER, recordTimeoutMs: 1_000 };
    const answer = b.run(quickBut(forever), ['quick', 'slow'], options);
    await b.clock.advance(1_500);
    expect(await answer).toEqual(['slow']);
    expect(b.writes).toEqual([1]);
  });

  it('waits no longer when the last that could bring company is put off', async () => {
    const gate = deferred();
    const b = requestingTwoAtATime(gate);
    await b.die('late');
    await b.occupy('taken');
    const answer = b.run(() => 'done', ['quick', 'taken', 'late'], LONG_LINGER);
    await b.clock.advance(1_000);
    expect((await b.claim('quick'))?.status).toBe('IN_PROGRESS');
    gate.resolve();
    await b.clock.advance(0);
    expect(await answer).toEqual(['taken']);
  });

  it('waits for nothing in a message group of its own: the next of the group may not start before', async () => {
    const b = counting();
    expect(failed(await b.processor(() => 'done', LONG_LINGER)(fifo('a1', 'a2', 'a3')))).toEqual([]);
    expect(b.writes).toEqual([1, 1, 1]);
  });

  it('has been settled before the answer, also where it waited when the time was up', async () => {
    const b = counting();
    const answer = b.processor(quickBut(forever), LONG_LINGER)(messages('quick', 'slow'), b.lambda(30_000));
    await b.clock.advance(29_500);
    expect(failed(await answer)).toEqual(['slow']);
  });

  /** The batch asks for its third claim in a second request, whose answer comes when the gate is open. */
  function requestingTwoAtATime(gate: Deferred): Bench {
    return bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        requestSize: 2,
        async acquire(requests) {
          if (requests.some(({ key, isRedelivery }) => isRedelivery === false && key.endsWith('late'))) {
            await gate.promise;
          }
          return store.acquire(requests);
        },
      };
    });
  }
});
