import { describe, expect, it } from '@jest/globals';
import { runSeed } from './run-seed.ts';
import { type Outcome, runSeeds } from './run-seeds.ts';
import { modes } from './scenario.ts';

const SEEDS = 30; // CI runs a thousand besides

describe('the simulation', () => {
  it.each(modes)(`finds nothing wrong in ${SEEDS} seeds on the %s store`, async (mode) => {
    const outcomes: Outcome[] = [];
    await runSeeds({ from: 1, seeds: SEEDS, modes: [mode], stopsAtFirst: true }, (outcome) =>
      outcomes.push(outcome),
    );
    expect(outcomes.filter(({ violation }) => violation !== undefined)).toEqual([]);
    expect(outcomes).toHaveLength(SEEDS);
  });

  it.each(modes)('replays a seed exactly on the %s store', async (mode) => {
    const [first, second] = [await traceOf(7, mode), await traceOf(7, mode)];
    expect(first.length).toBeGreaterThan(10);
    expect(second).toEqual(first);
  });
});

async function traceOf(seed: number, mode: (typeof modes)[number]): Promise<string[]> {
  const trace: string[] = [];
  await runSeed(seed, mode, (line) => trace.push(line));
  return trace;
}
