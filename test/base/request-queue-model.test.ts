import { describe, expect, it } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import * as fc from 'fast-check';
import type { RequestGroup } from '../../src/base/request-group.ts';
import type { QueueAccess } from '../../src/base/queue-member.ts';
import { RequestQueue } from '../../src/base/request-queue.ts';

const LINGER_MS = 5;
const REQUEST_SIZE = 4;
const MEMBERS = 9;

interface Item {
  readonly id: number;
  readonly key: string;
  readonly member: number;
  readonly addedAt: number;
  sentAt?: number;
  outcome?: string;
}

/** What may happen next. Members and groups are named by any number, modulo how many there are. */
type Step =
  | { readonly do: 'add'; readonly member: number; readonly keys: readonly number[] }
  | { readonly do: 'busy' | 'through' | 'abort' | 'leave'; readonly member: number }
  | { readonly do: 'answer' | 'note'; readonly group: number }
  | { readonly do: 'wait'; readonly ms: number };

const member = fc.nat({ max: MEMBERS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      member,
      keys: fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('busy' as const, 'through' as const), member }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('abort' as const, 'leave' as const), member }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('answer' as const, 'note' as const), group: fc.nat() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 3, 2 * LINGER_MS + 1) }),
  },
);

interface OpenGroup {
  readonly group: RequestGroup<Item, Item, string>;
  readonly end: () => void;
}

/** The last items of a member that left before its signal empty the queue; the next item starts a linger. */
const aborted: Step[] = [
  { do: 'add', member: 0, keys: [0] },
  { do: 'add', member: 6, keys: [0] },
  { do: 'leave', member: 6 },
  { do: 'abort', member: 6 },
  { do: 'add', member: 6, keys: [0] },
  { do: 'wait', ms: 11 },
  { do: 'add', member: 1, keys: [0] },
  { do: 'wait', ms: 11 },
];

/** Runs the steps, and checks after each what holds at any time. */
async function run(steps: readonly Step[]): Promise<void> {
  const clock = manualClock();
  const items: Item[] = [];
  const open: OpenGroup[] = [];
  const queue = new RequestQueue<Item, Item, string>({
    requestSize: REQUEST_SIZE,
    lingerMs: LINGER_MS,
    clock,
    send(group) {
      expect(group.items.length).toBeGreaterThan(0);
      expect(group.items.length).toBeLessThanOrEqual(REQUEST_SIZE);
      expect(new Set(group.items.map(({ key }) => key)).size).toBe(group.items.length);
      for (const item of group.items) {
        expect(item.sentAt).toBeUndefined();
        item.sentAt = clock.now();
      }
      return new Promise((end) => open.push({ group, end }));
    },
    givenUp: () => 'given up',
  });
  const members = Array.from({ length: MEMBERS }, (_, index) => {
    const controller = new AbortController();
    const state = { isBusy: index % 3 !== 0, hasLeft: false };
    const access: QueueAccess<Item, Item, string> = queue.join({
      isBusy: () => state.isBusy,
      signal: controller.signal,
      onError(thrown) {
        throw thrown;
      },
    });
    return { ...access, controller, state };
  });
  const memberAt = (index: number): (typeof members)[number] => members[index] as (typeof members)[number];

  function add(index: number, keys: readonly number[]): void {
    const added = keys.map((key): Item => ({
      id: items.length + key / 100,
      key: `${key}`,
      member: index,
      addedAt: clock.now(),
    }));
    items.push(...added);
    memberAt(index).putAll(added, added, (item, outcome) => {
      expect(item.outcome).toBeUndefined();
      item.outcome = outcome;
    });
  }

  function end({ group, end: ended }: OpenGroup): void {
    open.splice(
      open.findIndex((one) => one.group === group),
      1,
    );
    group.answer(
      [...group.items.keys()],
      group.items.map(({ id }) => `did ${id}`),
    );
    ended();
  }

  function check(): void {
    for (const { addedAt, sentAt, outcome, id, member: index } of items) {
      const { controller, state } = memberAt(index);
      // What is left over from a full request, or has the key of another, waits once more.
      if (sentAt === undefined && outcome === undefined)
        expect(clock.now() - addedAt).toBeLessThanOrEqual(2 * LINGER_MS);
      if (outcome === undefined) continue;
      const isGivenUp = outcome === 'given up' || outcome === `so far ${id}`;
      expect([`did ${id}`, `so far ${id}`, 'given up']).toContain(outcome);
      if (isGivenUp) expect(controller.signal.aborted && !state.hasLeft).toBe(true);
    }
    for (const { group } of open) {
      const isWanted = group.items.some((_, index) => group.isWanted(index));
      // One that was added after the end has the signal of its member.
      const isOfOneThatIsGone = memberAt(group.items[0]?.member as number).controller.signal === group.signal;
      if (!isOfOneThatIsGone) expect(group.signal.aborted).toBe(!isWanted);
    }
  }

  for (const next of steps) {
    switch (next.do) {
      case 'add':
        add(next.member, next.keys);
        break;
      case 'busy':
      case 'through':
        memberAt(next.member).state.isBusy = next.do === 'busy';
        memberAt(next.member).flushIfIdle();
        break;
      case 'abort':
        memberAt(next.member).controller.abort();
        break;
      case 'leave':
        if (!memberAt(next.member).controller.signal.aborted) memberAt(next.member).state.hasLeft = true;
        memberAt(next.member).leave();
        break;
      case 'answer':
      case 'note': {
        const one = open[next.group % Math.max(1, open.length)];
        if (one === undefined) break;
        if (next.do === 'answer') end(one);
        else one.group.items.forEach((item, index) => one.group.note(index, `so far ${item.id}`));
        break;
      }
      case 'wait':
        await clock.advance(next.ms);
        break;
    }
    await clock.advance(0);
    check();
  }
  await clock.advance(2 * LINGER_MS);
  for (let one = open[0]; one !== undefined; one = open[0]) {
    end(one);
    await clock.advance(0);
  }
  check();
  expect(items.filter(({ outcome }) => outcome === undefined)).toEqual([]);
}

describe('a queue of requests that members share', () => {
  it('answers each item once, sends none late, and ends requests that nobody waits for, whatever happens when', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), run), {
      numRuns: 100,
      examples: [[aborted]],
    });
  });
});
