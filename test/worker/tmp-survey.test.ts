import { test } from '@jest/globals';
import { runMortalWorkers } from '../support/mortal-workers.ts';
import { messagesOf } from './poison.test.ts';
test.each([1, 2, 4, 12, 41].flatMap((groups) => [3, 5].flatMap((maxReceives) => [1, 2].map((poisons) => ({ groups, maxReceives, poisons })))))('%j', async ({ groups, maxReceives, poisons }) => {
  let bad = 0; let lost = 0; const seeds: number[] = [];
  const n = Number(process.env['SURVEY'] ?? 30);
  for (let seed = Number(process.env["POISON_SEED"] ?? 1); seed <= n; seed += 1) {
    const messages = messagesOf(seed, poisons, groups);
    const { dead } = await runMortalWorkers({ messages, maxReceives, fifo: true, options: { maxInFlight: seed % 2 ? 5 : 100 } });
    const l = dead.filter((id) => id.startsWith('good')).length;
    if (l > 0) { bad += 1; lost += l; seeds.push(seed); }
  }
  process.stderr.write(`SURVEY ${JSON.stringify({ groups, maxReceives, poisons, bad, of: n, lost, seeds: seeds.slice(0, 5) })}\n`);
}, 300_000);
