// The process of `runSeedsWatched`.
import type { Message } from './run-seeds-watched.ts';
import { runSeeds, type SeedRange } from './run-seeds.ts';

const tell = (message: Message): void => void process.send?.(message);

process.once('message', (range) => {
  void runSeeds(
    range as SeedRange,
    (ended) => tell({ ended }),
    (seed, mode) => tell({ started: { seed, mode } }),
  ).finally(() => process.disconnect());
});
