import { describe, expect, it } from '@jest/globals';
import { regressions } from './regressions.ts';
import { runSeed } from './run-seed.ts';

describe('what the simulation has found once does not come back', () => {
  it.each(regressions)('seed $seed, $mode: $was', async ({ seed, mode }) => {
    const { violation } = await runSeed(seed, mode);
    expect(violation).toBeUndefined();
  });
});
