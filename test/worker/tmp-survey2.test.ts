import { test } from '@jest/globals';
import { runMortalWorkers } from '../support/mortal-workers.ts';
import { messagesOf } from './poison.test.ts';
test.each([true, false].flatMap((fifo) => [3, 5].flatMap((maxReceives) => [1, 2].flatMap((poisons) => [2,3].map((workers) => ({ fifo, maxReceives, poisons, workers }))))))('%j', async ({ fifo, maxReceives, poisons, workers }) => {
  let bad = 0; let lost = 0; const seeds: number[] = [];
  const n = Number(process.env['SURVEY'] ?? 40);
  for (let seed = Number(process.env['POISON_SEED'] ?? 1); seed <= n; seed += 1) {
    const messages = messagesOf(seed, poisons, 6).map(({ group, ...m }) => (fifo ? { group, ...m } : m)) as never;
    const { dead } = await runMortalWorkers({ messages, maxReceives, fifo, workers, options: { maxInFlight: seed % 2 ? 5 : 100 } });
    const l = dead.filter((id) => id.startsWith('good')).length;
    if (l > 0) { bad += 1; lost += l; seeds.push(seed); }
  }
  process.stderr.write(`SURVEY ${JSON.stringify({ fifo, workers, maxReceives, poisons, bad, of: n, lost, seeds: seeds.slice(0, 5) })}\n`);
}, 300_000);
