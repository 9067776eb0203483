import { describe, expect, it } from '@jest/globals';
import type { AcquireOutcome, ClaimRequest, ClaimStore, Settlement } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import { createAcquireQueue } from '../../src/claims/acquire-queue.ts';
import type { QueueMember } from '../../src/base/queue-member.ts';

describe('a claim', () => {
  it('is acquired together with those of others, and each learns of its own', async () => {
    const { join, acquired } = bench();
    const [first, ...others] = ['a', 'b', 'c'].flatMap((key) => join().add([request(key)]));
    expect(await first).toMatchObject({ status: 'acquired' });
    expect(await Promise.all(others)).toMatchObject([{ status: 'acquired' }, { status: 'acquired' }]);
    expect(acquired).toEqual([['a'], ['b', 'c']]);
  });

  it.each<[string, ClaimStore['acquire']]>([
    ['rejects', () => Promise.reject(new Error('reset'))],
    [
      'throws',
      () => {
        throw new Error('reset');
      },
    ],
    ['rejects with what is no error', () => Promise.reject('reset')],
  ])('is not acquired by a call that %s', async (_, acquire) => {
    const { join } = bench({ acquire });
    const outcomes = await Promise.all(join().add([request('a'), request('b')]));
    const failed = { status: 'error', error: { message: 'reset' } };
    expect(outcomes).toMatchObject([failed, failed]);
  });
});

describe('claims that come after nobody waits for them any more', () => {
  it('are released, in one request', async () => {
    const { join, settled, hold, store } = bench();
    const { gone, stays, letGo } = twoInOneRequest({ join, hold }, ['a', 'b']);
    const silent = { status: 'error', error: { code: 'BATCHLATCH_STORE_SILENT', isRetryable: true } };
    expect(await Promise.all(gone)).toMatchObject([silent, silent]);
    letGo();
    expect(await stays).toMatchObject({ status: 'acquired' });
    expect(settled).toMatchObject([
      [
        { end: 'release', key: 'a', owner: 'owner of a', releases: 0 },
        { end: 'release', key: 'b', owner: 'owner of b', releases: 0 },
      ],
    ]);
    expect(await store.inspect('a')).toMatchObject({ status: 'FAILED', releases: 1 });
    expect(await store.inspect('stays')).toMatchObject({ status: 'IN_PROGRESS', owner: 'owner of stays' });
  });

  it('are released only where they were acquired', async () => {
    const { join, settled, hold, store } = bench();
    await store.acquire([{ ...request('a'), owner: 'somebody else' }]);
    const { stays, letGo } = twoInOneRequest({ join, hold }, ['a']);
    letGo();
    await stays;
    expect(settled).toEqual([]);
    expect(await store.inspect('a')).toMatchObject({ status: 'IN_PROGRESS', owner: 'somebody else' });
  });

  it.each<[string, ClaimStore['settle']]>([
    ['rejects', () => Promise.reject(new Error('reset'))],
    ['never answers', () => new Promise(() => undefined)],
  ])('hold nobody up where their release %s', async (_, settle) => {
    const { join, hold } = bench({ settle });
    const { stays, letGo } = twoInOneRequest({ join, hold }, ['a']);
    letGo();
    expect(await stays).toMatchObject({ status: 'acquired' });
    expect(await join().add([request('next')])[0]).toMatchObject({ status: 'acquired' });
  });
});

/** One member that is gone before the answer comes, and one that stays, in the request of which they ask together. */
function twoInOneRequest(
  { join, hold }: Pick<Bench, 'join' | 'hold'>,
  keys: readonly string[],
): { readonly gone: Promise<AcquireOutcome>[]; readonly stays: Promise<AcquireOutcome>; letGo(): void } {
  const controller = new AbortController();
  const gone = join({ isBusy: () => true, signal: controller.signal }).add(keys.map(request));
  const letGo = hold();
  const stays = join().add([request('stays')])[0] as Promise<AcquireOutcome>;
  controller.abort();
  return { gone, stays, letGo };
}

interface Bench {
  readonly clock: ManualClock;
  readonly store: ClaimStore;
  /** The keys of each request. */
  readonly acquired: string[][];
  readonly settled: (readonly Settlement[])[];
  join(member?: Partial<QueueMember>): { add(requests: readonly ClaimRequest[]): Promise<AcquireOutcome>[] };
  /** Holds up the next request until the returned function is called. */
  hold(): () => void;
}

function bench(own: Partial<ClaimStore> = {}): Bench {
  const clock = manualClock();
  const store = memoryStore({ clock });
  const acquired: string[][] = [];
  const settled: Bench['settled'] = [];
  let holding: Promise<void> | undefined;
  const queue = createAcquireQueue<number>({
    clock,
    lingerMs: 5,
    store: {
      ...store,
      async acquire(requests, options) {
        acquired.push(requests.map(({ key }) => key));
        const held = holding;
        holding = undefined;
        await held;
        return store.acquire(requests, options);
      },
      settle(settlements, options) {
        settled.push(settlements);
        return store.settle(settlements, options);
      },
      ...own,
    },
  });
  return {
    clock,
    store,
    acquired,
    settled,
    join(member) {
      const { putAll } = queue.join({
        isBusy: () => false,
        signal: new AbortController().signal,
        onError: throws,
        ...member,
      });
      return {
        add(requests) {
          const resolves: ((outcome: AcquireOutcome) => void)[] = [];
          const outcomes = requests.map(
            () => new Promise<AcquireOutcome>((resolve) => resolves.push(resolve)),
          );
          putAll(requests, [...requests.keys()], (at, outcome) => resolves[at]?.(outcome));
          return outcomes;
        },
      };
    },
    hold() {
      let letGo: () => void = () => undefined;
      holding = new Promise((resolve) => {
        letGo = resolve;
      });
      return letGo;
    },
  };
}

function request(key: string): ClaimRequest {
  return { key, owner: `owner of ${key}`, leaseMs: 60_000, retentionMs: 3_600_000 };
}

function throws(thrown: unknown): never {
  throw thrown;
}
