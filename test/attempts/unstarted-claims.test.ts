import { describe, expect, it } from '@jest/globals';
import type { ClaimRequest, ClaimStore } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';
import { notedHere, unstartedClaims } from '../../src/attempts/unstarted-claims.ts';

const DAY_MS = 86_400_000;

function claim(owner: string, key = 'k'): ClaimRequest {
  return { key, owner, leaseMs: 1_000, retentionMs: DAY_MS };
}

/** A store, and the owners of each of its settlements. */
function watchedStore(): {
  readonly store: ClaimStore;
  readonly settled: string[][];
  pass(ms: number): Promise<void>;
} {
  const clock = manualClock();
  const store = memoryStore({ clock });
  const settled: string[][] = [];
  return {
    store: {
      ...store,
      settle(settlements) {
        settled.push(settlements.map(({ owner }) => owner));
        return store.settle(settlements);
      },
    },
    settled,
    pass: (ms) => clock.advance(ms),
  };
}

describe('claims of which nobody knows', () => {
  it('of one key, whose row changes hands while they are looked for, never stand in one call', async () => {
    const { store, settled, pass } = watchedStore();
    await store.acquire([claim('first')]);
    const before = await store.inspect('k');
    await pass(1_000);
    await store.acquire([claim('second')]);
    const looks = [before];
    const unstarted = unstartedClaims({
      ...store,
      inspect: async (key) => looks.shift() ?? store.inspect(key),
    });
    unstarted.note(claim('first'));
    unstarted.note(claim('second'));
    await unstarted.giveBack();
    await unstarted.giveBack();
    expect(settled.map((owners) => owners.length)).toEqual([1]);
    expect(await store.inspect('k')).toMatchObject({ status: 'FAILED', owner: 'second' });
    await unstarted.giveBack();
    expect(unstarted.hasAny()).toBe(false);
  });
});

describe('many claims of which nobody knows', () => {
  it.each([
    [2, [2, 2, 2, 2]],
    [1_000, [8]],
  ])('are given back in requests of the store, at most %d', async (requestSize, sizes) => {
    const { store, settled } = watchedStore();
    const owners = Array.from('abcdefgh');
    await store.acquire(owners.map((owner) => claim(owner, owner)));
    const unstarted = unstartedClaims({ ...store, requestSize });
    for (const owner of owners) unstarted.note(claim(owner, owner));
    await unstarted.giveBack();
    expect(settled.map(({ length }) => length)).toEqual(sizes);
    expect(unstarted.hasAny()).toBe(false);
  });
});

describe('claims that one of several invocations has noted', () => {
  it('are all of the process to be given back, and its own to be waited for', async () => {
    const { store, settled } = watchedStore();
    await store.acquire([claim('a', 'a'), claim('b', 'b')]);
    const ofProcess = unstartedClaims(store);
    const [first, second] = [notedHere(ofProcess), notedHere(ofProcess)];
    first.note(claim('a', 'a'));
    expect([first.hasAny(), second.hasAny(), ofProcess.hasAny()]).toEqual([true, false, true]);
    await second.giveBack();
    expect(settled).toEqual([['a']]);
    expect([first.hasAny(), ofProcess.hasAny()]).toEqual([false, false]);
  });
});
