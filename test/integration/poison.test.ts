import { expect, test } from '@jest/globals';
import { seededRandom } from '../../lab/local/demo/seeded-random.ts';
import { type MortalSetup, runMortalWorkers } from '../support/mortal-workers.ts';

type Message = MortalSetup['messages'][number];

const GOOD = 40;
/** `POISON_SEEDS=100 npm run lab:programs -- poison` for more. */
const SEEDS = Number(process.env['POISON_SEEDS'] ?? 3);

function messagesOf(seed: number, poisons: number, groups: number | undefined): readonly Message[] {
  const random = seededRandom(seed);
  const messages = Array.from({ length: GOOD + poisons }, (_, index): Message => {
    const isPoison = index >= GOOD;
    return {
      id: isPoison ? `poison-${index - GOOD + 1}` : `good-${index + 1}`,
      ms: random.integer(300),
      isPoison,
      ...(groups !== undefined && { group: `group-${random.integer(groups)}` }),
    };
  });
  return random.shuffled(messages);
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

test('a handler of many records is called with a suspect alone, and the others of its batch are done', async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const messages = messagesOf(seed, 1, undefined);
    const report = await runMortalWorkers({ messages, maxReceives: 3, forBatches: true });
    expect(report).toMatchObject({ dead: ['poison-1'], twice: [] });
    expect(report.completed).toHaveLength(GOOD);
    expect(report.beside.slice(1)).toEqual([[], []]); // of the first death nobody knew
  }
});

test('what a dead process held comes again when its leases are over, however long its handlers had run', async () => {
  for (let ms = 1_000; ms <= 130_000; ms += 4_000) {
    const good = Array.from({ length: 20 }, (_, index) => ({
      id: `good-${index}`,
      ms: 100_000 + 1_000 * index,
    }));
    const messages = [...good, { id: 'poison', ms, isPoison: true }];
    const report = await runMortalWorkers({ messages, maxReceives: 3 });
    expect({ ms, ...report }).toMatchObject({ ms, dead: ['poison'], conflicts: 0 });
    expect(report.completed).toHaveLength(20);
  }
});

test('leases that outlast the visibility timeout cost no receive: conflicts are waited for here', async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const messages = messagesOf(seed, 1, undefined);
    const report = await runMortalWorkers({ messages, maxReceives: 3, leaseMs: 150_000 });
    expect(report.conflicts).toBeGreaterThan(0);
    expect({ seed, ...report }).toMatchObject({ seed, dead: ['poison-1'], twice: [] });
    expect(report.completed).toHaveLength(GOOD);
  }
});
