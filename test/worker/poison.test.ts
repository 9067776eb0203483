import { expect, test } from '@jest/globals';
import { type MortalMessage, runMortalWorkers } from '../support/mortal-workers.ts';

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

const GOOD = 40;
const SEEDS = Number(process.env['POISON_SEEDS'] ?? 3);

export function messagesOf(seed: number, poisons: number, groups: number) {
  const random = randomOf(seed);
  const messages: (MortalMessage & { group?: string; order: number })[] = [];
  for (let index = 0; index < GOOD + poisons; index += 1) {
    const isPoison = index >= GOOD;
    messages.push({
      id: isPoison ? `poison-${index - GOOD + 1}` : `good-${index + 1}`,
      ms: Math.floor(random() * 300),
      isPoison,
      group: `group-${Math.floor(random() * groups)}`,
      order: random(),
    });
  }
  return messages
    .toSorted((a, b) => a.order - b.order)
    .map(({ order: _order, ...message }) => message);
}

const cases = [3, 5].flatMap((maxReceives) =>
  [false, true].flatMap((fifo) =>
    [1, 2].flatMap((poisons) => [5, 100].map((maxInFlight) => ({ maxReceives, fifo, poisons, maxInFlight }))),
  ),
);

test.each(cases)(
  'a message that ends its process is the only dead letter: %j',
  async ({ maxReceives, fifo, poisons, maxInFlight }) => {
    for (let seed = Number(process.env["POISON_SEED"] ?? 1); seed <= SEEDS; seed += 1) {
      const messages = messagesOf(seed, poisons, 12).map(({ group, ...message }) => ({
        ...message,
        ...(fifo && group !== undefined && { group }),
      }));
      const report = await runMortalWorkers({ messages, maxReceives, fifo, options: { maxInFlight } });
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
