import { expect, test } from '@jest/globals';
import { type MortalSetup, runMortalWorkers } from '../support/mortal-workers.ts';

/** A sequence of numbers that a seed repeats (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Message = MortalSetup['messages'][number];

const GOOD = 40;
/** `POISON_SEEDS=100 npm test -- worker/poison` for more. */
const SEEDS = Number(process.env['POISON_SEEDS'] ?? 3);

function messagesOf(seed: number, poisons: number, groups: number | undefined): Message[] {
  const random = randomOf(seed);
  const messages: (Message & { readonly order: number })[] = [];
  for (let index = 0; index < GOOD + poisons; index += 1) {
    const isPoison = index >= GOOD;
    messages.push({
      id: isPoison ? `poison-${index - GOOD + 1}` : `good-${index + 1}`,
      ms: Math.floor(random() * 300),
      isPoison,
      ...(groups !== undefined && { group: `group-${Math.floor(random() * groups)}` }),
      order: random(),
    });
  }
  return messages.toSorted((a, b) => a.order - b.order).map(({ order: _order, ...message }) => message);
}

const cases = [3, 5].flatMap((maxReceives) =>
  [false, true].flatMap((fifo) =>
    [5, 100].flatMap((maxInFlight) => [
      { maxReceives, fifo, maxInFlight, poisons: 1, workers: 1 },
      { maxReceives, fifo, maxInFlight, poisons: 1, workers: 3 },
      // Each death of a second message takes another receive from what ran beside both.
      ...(maxReceives === 5 ? [{ maxReceives, fifo, maxInFlight, poisons: 2, workers: 1 }] : []),
    ]),
  ),
);

test.each(cases)(
  'a message that ends its process is the only dead letter: %j',
  async ({ maxReceives, fifo, maxInFlight, poisons, workers }) => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const messages = messagesOf(seed, poisons, fifo ? 1 + seed * 3 : undefined);
      const report = await runMortalWorkers({
        messages,
        maxReceives,
        fifo,
        workers,
        options: { maxInFlight },
      });
      const poison = messages.filter(({ isPoison }) => isPoison).map(({ id }) => id);
      const { dead, completed, twice } = report;
      expect({ seed, dead: dead.toSorted(), completed: completed.length, twice }).toEqual({
        seed,
        dead: poison.toSorted(),
        completed: GOOD,
        twice: [],
      });
    }
  },
);
