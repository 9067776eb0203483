import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);

async function simulateScale(...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', 'scripts/simulate-scale.ts', ...args]);
  return stdout;
}

test('prints JSON and nothing else for --json', async () => {
  const options = ['--messages', '2000', '--workers', '20', '--sample', '30', '--json'];
  const found = JSON.parse(await simulateScale(...options)) as Record<string, unknown>;
  expect(found).toMatchObject({
    options: { messages: 2_000, workers: 20, seed: 1 },
    byWorkers: [{ workers: 1 }, { workers: 10 }, { workers: 20, messages: 2_000 }],
  });
});

test('refuses what is no count', async () => {
  await expect(simulateScale('--messages', 'many')).rejects.toMatchObject({
    stderr: expect.stringContaining('Expected an integer from 1 up'),
  });
});
