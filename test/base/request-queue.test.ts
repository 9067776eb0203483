import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import type { RequestGroup } from '../../src/base/request-group.ts';
import type { QueueAccess } from '../../src/base/queue-member.ts';
import { RequestQueue } from '../../src/base/request-queue.ts';
import type { StopSignal } from '../../src/base/stop.ts';

const LINGER_MS = 5;

describe('items of one member', () => {
  it('go at once when it will not bring more, with an outcome each', async () => {
    const { join, requests } = bench();
    expect(await Promise.all(join().add(['a', 'b', 'c']))).toEqual(['did a', 'did b', 'did c']);
    expect(requests).toEqual([['a', 'b', 'c']]);
  });

  it('wait for others while it is busy, and no longer than the linger of the first', async () => {
    const { join, requests, clock } = bench();
    const { add } = join({ busy: true });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      void add([name]);
      await clock.advance(1);
    }
    expect(requests).toEqual([['a', 'b', 'c', 'd', 'e']]);
    await clock.advance(LINGER_MS - 2);
    expect(requests).toEqual([
      ['a', 'b', 'c', 'd', 'e'],
      ['f', 'g'],
    ]);
  });

  it('do not wait for a request of its own that is on its way', async () => {
    const { join, requests, hold } = bench();
    const { add } = join();
    hold();
    void add(['a']);
    void add(['b']);
    expect(requests).toEqual([['a'], ['b']]);
  });

  it('go at once when a request is full, also with one item to a request', async () => {
    const { join, requests } = bench({ requestSize: 1 });
    const outcomes = join({ busy: true }).add(['a', 'b', 'c']);
    expect(requests).toEqual([['a'], ['b'], ['c']]);
    expect(await Promise.all(outcomes)).toEqual(['did a', 'did b', 'did c']);
  });

  it('of one key never share a request, and each has its own outcome', async () => {
    const { join, requests } = bench();
    const outcomes = join().add(['a#1', 'a#2', 'b#1', 'a#3']);
    expect(requests).toEqual([['a#1', 'b#1'], ['a#2'], ['a#3']]);
    expect(await Promise.all(outcomes)).toEqual(['did a#1', 'did a#2', 'did b#1', 'did a#3']);
  });
});

describe('items of several members', () => {
  it('that come while a request is on its way go together in the next, once it is answered', async () => {
    const { join, requests, hold } = bench();
    const letGo = hold();
    const first = join().add(['a']);
    const others = ['b', 'c', 'd'].flatMap((name) => join().add([name]));
    expect(requests).toEqual([['a']]);
    letGo();
    expect(await Promise.all([...first, ...others])).toEqual(['did a', 'did b', 'did c', 'did d']);
    expect(requests).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it('are not held up by a request that is never answered for longer than the linger', async () => {
    const { join, requests, hold, clock } = bench();
    hold();
    void join().add(['a']);
    const b = join().add(['b']);
    await clock.advance(LINGER_MS - 1);
    expect(requests).toEqual([['a']]);
    await clock.advance(1);
    expect(await Promise.all(b)).toEqual(['did b']);
  });

  it('are not held up by what is sent again and again', () => {
    const { join, groups, requests, hold } = bench();
    hold();
    void join().add(['a', 'b']);
    groups[0]?.answer([0], ['did a']);
    groups[0]?.note(1, 'throttled');
    void join().add(['c']);
    expect(requests).toEqual([['a', 'b'], ['c']]);
  });

  it('are not reached by what one member throws over its outcome, which it learns itself', async () => {
    const { queue } = bench();
    const [throwing, other] = [member({ busy: true }), member()];
    queue.join(throwing).put(itemOf('a'), 0, () => {
      throw new Error('of a');
    });
    const b = new Promise((resolve) => {
      queue.join(other).put(itemOf('b'), 0, (_note, outcome) => resolve(outcome));
    });
    expect(await b).toBe('did b');
    expect(throwing.errors).toEqual([new Error('of a')]);
    expect(other.errors).toEqual([]);
  });

  it('of one key never share a request either', async () => {
    const { join, requests, hold } = bench();
    const letGo = hold();
    void join().add(['x']);
    const outcomes = [...join().add(['a#1']), ...join().add(['a#2'])];
    letGo();
    expect(await Promise.all(outcomes)).toEqual(['did a#1', 'did a#2']);
    expect(requests).toEqual([['x'], ['a#1'], ['a#2']]);
  });

  it('go along with those of a member that is through', async () => {
    const { join, requests } = bench();
    const busy = { is: true };
    const [a] = join({ isBusy: () => busy.is }).add(['a']);
    const slow = join({ busy: true });
    const [b] = slow.add(['b']);
    slow.flushIfIdle();
    expect(requests).toEqual([]);
    const through = join();
    const [c] = through.add(['c']);
    expect(await Promise.all([a, b, c])).toEqual(['did a', 'did b', 'did c']);
    expect(requests).toEqual([['a', 'b', 'c']]);
  });

  it('fill requests: thousands of members need no more of them than one would', async () => {
    const { join, requests, hold } = bench();
    const letGo = hold();
    const outcomes = Array.from({ length: 5_001 }, (_, index) => join().add([`${index}`])).flat();
    letGo();
    await Promise.all(outcomes);
    expect(requests.map((items) => items.length)).toEqual([1, ...Array<number>(200).fill(25)]);
  });
});

describe('a member that stops waiting', () => {
  it('leaves the others their request', async () => {
    const { together, requests, signals } = bench();
    const { a, b, letGo } = together();
    a.abort();
    expect(await a.outcome).toBe('given up');
    expect(signals[0]?.aborted).toBe(false);
    letGo();
    expect(await b.outcome).toBe('did b');
    expect(requests).toEqual([['a', 'b']]);
  });

  it('ends a request for which nobody waits any more', () => {
    const { together, signals } = bench();
    const { a, b } = together();
    a.abort();
    expect(signals[0]?.aborted).toBe(false);
    b.abort();
    expect(signals[0]?.aborted).toBe(true);
  });

  it('ends no request of which the others have their answers and it has none', async () => {
    const { join, groups, hold, signals } = bench();
    hold();
    const a = member();
    const aItems = join(a).add(['a1', 'a2']);
    groups[0]?.answer([0], ['early']);
    expect(await aItems[0]).toBe('early');
    expect(groups[0]?.isWanted(0)).toBe(false);
    expect(groups[0]?.isWanted(1)).toBe(true);
    expect(signals[0]?.aborted).toBe(false);
    a.abort();
    expect(await aItems[1]).toBe('given up');
    expect(signals[0]?.aborted).toBe(true);
  });

  it('gets the outcome so far, where there is one', async () => {
    const { join, groups, hold } = bench();
    hold();
    const a = member();
    const outcomes = join(a).add(['a1', 'a2']);
    groups[0]?.note(1, 'not yet stored');
    a.abort();
    expect(await Promise.all(outcomes)).toEqual(['given up', 'not yet stored']);
  });

  it('takes its waiting items along: they are never sent', async () => {
    const { join, requests, clock } = bench();
    const a = member({ busy: true });
    const [outcome] = join(a).add(['a']);
    a.abort();
    expect(await outcome).toBe('given up');
    await clock.advance(LINGER_MS);
    expect(requests).toEqual([]);
  });

  it('leaves the linger of those who come after it as it was', async () => {
    const { join, requests, clock } = bench();
    const a = member({ busy: true });
    void join(a).add(['a']);
    a.abort();
    await clock.advance(LINGER_MS);
    void join({ busy: true }).add(['b']);
    await clock.advance(LINGER_MS);
    expect(requests).toEqual([['b']]);
  });

  it('leaves the linger of those who wait beside it as it was', async () => {
    const { join, requests, clock } = bench();
    const a = member({ busy: true });
    void join(a).add(['a']);
    await clock.advance(1);
    void join({ busy: true }).add(['b']);
    a.abort();
    await clock.advance(LINGER_MS - 1);
    expect(requests).toEqual([['b']]);
  });

  it('is told of no answer that comes later', async () => {
    const { together, groups } = bench();
    const { a, b, letGo } = together();
    a.abort();
    expect([0, 1].map((index) => groups[0]?.isWanted(index))).toEqual([false, true]);
    letGo();
    expect(await b.outcome).toBe('did b');
    expect(await a.outcome).toBe('given up');
  });

  it('sends what it still adds alone, at once, with its own signal, and it is answered', async () => {
    const { join, requests, signals } = bench();
    const a = member({ busy: true });
    const { add } = join(a);
    a.abort();
    void join({ busy: true }).add(['waits']);
    expect(await Promise.all(add(['a1', 'a2']))).toEqual(['did a1', 'did a2']);
    expect(requests).toEqual([['a1'], ['a2']]);
    expect(signals.every((signal) => signal === a.signal)).toBe(true);
  });

  it('holds nobody up by a request that is never answered, and for which nobody waits any more', () => {
    const { join, requests, hold } = bench();
    hold();
    const a = member();
    void join(a).add(['a']);
    a.abort();
    void join().add(['b']);
    expect(requests).toEqual([['a'], ['b']]);
  });

  it('before it joined, is no different', async () => {
    const { join } = bench();
    const a = member();
    a.abort();
    expect(await join(a).add(['a'])[0]).toBe('did a');
  });

  it('holds nobody up by what it adds then and is never answered', async () => {
    const { join, requests, hold } = bench();
    hold();
    const a = member();
    a.abort();
    void join(a).add(['a']);
    expect(await join().add(['b'])[0]).toBe('did b');
    expect(requests).toEqual([['a'], ['b']]);
  });
});

describe('a member that leaves', () => {
  it('is forgotten by its signal', () => {
    const { join } = bench();
    const a = member();
    const { leave } = join(a);
    expect(getEventListeners(a.signal, 'abort')).toHaveLength(1);
    leave();
    expect(getEventListeners(a.signal, 'abort')).toEqual([]);
  });

  it('still gets the answers of what is on its way or waits', async () => {
    const { join, hold, clock } = bench();
    const { add, leave } = join({ busy: true });
    const letGo = hold();
    const [a] = add(['a']);
    await clock.advance(LINGER_MS);
    const [b] = add(['b']);
    leave();
    letGo();
    await clock.advance(LINGER_MS);
    expect(await Promise.all([a, b])).toEqual(['did a', 'did b']);
  });
});

interface Member {
  readonly isBusy: () => boolean;
  readonly signal: AbortSignal;
  abort(): void;
  readonly errors: unknown[];
  readonly onError: (thrown: unknown) => void;
}

function member({ busy = false }: { readonly busy?: boolean } = {}): Member {
  const controller = new AbortController();
  const errors: unknown[] = [];
  return {
    isBusy: () => busy,
    signal: controller.signal,
    abort: () => controller.abort(),
    errors,
    onError: (thrown) => errors.push(thrown),
  };
}

interface Item {
  readonly key: string;
  readonly name: string;
}

function itemOf(name: string): Item {
  return { key: name.split('#')[0] as string, name };
}

function throws(thrown: unknown): never {
  throw thrown;
}

type Joining = Partial<Pick<Member, 'isBusy' | 'signal'>> & { readonly busy?: boolean };

/** A way into the queue that makes nothing else of the outcomes. */
interface Access extends Pick<QueueAccess<Item, number, string>, 'flushIfIdle' | 'leave'> {
  add(items: readonly string[]): Promise<string>[];
}

interface Bench {
  readonly queue: RequestQueue<Item, number, string>;
  readonly clock: ManualClock;
  /** The items of each request, as it was sent. */
  readonly requests: string[][];
  readonly groups: RequestGroup<Item, number, string>[];
  readonly signals: StopSignal[];
  join(joining?: Joining): Access;
  /** Holds up the next request until the returned function is called. */
  hold(): () => void;
  /** Two members whose items are in one request, which is held up. */
  together(): Record<'a' | 'b', { readonly outcome: Promise<string>; abort(): void }> & { letGo(): void };
}

function bench({ requestSize = 25 }: { readonly requestSize?: number } = {}): Bench {
  const clock = manualClock();
  const requests: string[][] = [];
  const groups: RequestGroup<Item, number, string>[] = [];
  const signals: StopSignal[] = [];
  let holding: Promise<void> | undefined;
  const queue = new RequestQueue<Item, number, string>({
    requestSize,
    lingerMs: LINGER_MS,
    clock,
    async send(group) {
      requests.push(group.items.map(({ name }) => name));
      groups.push(group);
      signals.push(group.signal);
      const held = holding;
      holding = undefined;
      await held;
      group.answer(
        [...group.items.keys()],
        group.items.map(({ name }) => `did ${name}`),
      );
    },
    givenUp: () => 'given up',
  });
  const join = ({ busy = false, isBusy = () => busy, signal = member().signal }: Joining = {}): Access => {
    const { putAll, flushIfIdle, leave } = queue.join({ isBusy, signal, onError: throws });
    return {
      flushIfIdle,
      leave,
      add(names) {
        const resolves: ((outcome: string) => void)[] = [];
        const outcomes = names.map(() => new Promise<string>((resolve) => resolves.push(resolve)));
        putAll(names.map(itemOf), [...names.keys()], (at, outcome) => resolves[at]?.(outcome));
        return outcomes;
      },
    };
  };
  function hold(): () => void {
    let letGo: () => void = () => undefined;
    holding = new Promise((resolve) => {
      letGo = resolve;
    });
    return letGo;
  }
  return {
    queue,
    clock,
    requests,
    groups,
    signals,
    join,
    hold,
    together() {
      const [a, b] = [member({ busy: true }), member()];
      const [aOutcome] = join(a).add(['a']);
      const letGo = hold();
      const [bOutcome] = join(b).add(['b']);
      return {
        a: { outcome: aOutcome as Promise<string>, abort: a.abort },
        b: { outcome: bOutcome as Promise<string>, abort: b.abort },
        letGo,
      };
    },
  };
}
