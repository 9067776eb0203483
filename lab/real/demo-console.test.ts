import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { ClaimsJson, Session } from '../../packages/cli/src/console/api.ts';
import { describeWith } from '../../test/support/components/describe-with.ts';
import { redis } from '../../test/support/components/redis.ts';
import { type ConsoleBrowser, openConsole } from '../../test/support/console-browser.ts';
import { until } from '../../test/support/until.ts';

let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));

describe('The demo with the console', () => {
  it.each(['dynamodb', 'postgres'])('runs what is sent back in it, with claims in %s', sendsBack, 180_000);
});

describeWith([redis], 'The demo with the console', () => {
  it('runs what is sent back in it, with claims in Redis', () => sendsBack('redis'), 180_000);
});

/** `npm start -- --console` goes on after its run, with the same function and queues. */
async function sendsBack(store: string): Promise<void> {
  const browser = await runWith('--store', store);
  expect(await openStates(browser)).toBe('failed 1,parked 1,overdue 0');
  const { queues } = await browser.get<Session>('/api/session');
  const queue = queues.find(({ isDeadLetter }) => isDeadLetter)?.url;
  const { plan } = await browser.post<{ plan: string }>('/api/dead-letters/plan', {
    queue,
    which: 'all',
    completed: 'skip',
  });
  await browser.post('/api/dead-letters/redrive', { plan, reason: 'the provider is back' });
  // The amount is as wrong as before.
  await until(
    'the declined order is charged',
    async () => (await openStates(browser)) === 'failed 0,parked 1,overdue 0',
  );
  child?.kill('SIGINT');
  expect(await once(child as ChildProcess, 'close')).toEqual([0, null]);
}

/** Resolves when the run is over. */
async function runWith(...args: readonly string[]): Promise<ConsoleBrowser> {
  const all = ['--import', 'tsx', 'lab/local/demo/demo.ts', '--console', '--rate', '20', '--messages', '20'];
  child = spawn(process.execPath, [...all, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  await until('it says where the console is', () => /console +http/.test(output));
  const browser = await openConsole(/http:\S+token=\S+/.exec(output)?.[0] ?? '');
  expect((await browser.get<Session>('/api/session')).allowChanges).toBe(true);
  await until('the run is over', () => output.includes('Ctrl-C ends it'), 90_000);
  expect(output).toContain('Nothing was lost, and nothing was charged twice');
  return browser;
}

/** How many claims are neither completed nor running, by their states. */
async function openStates(browser: ConsoleBrowser): Promise<string> {
  const states = await Promise.all(
    ['failed', 'parked', 'overdue'].map(async (state) => {
      const { claims } = await browser.get<ClaimsJson>(`/api/claims?state=${state}`);
      return `${state} ${claims.length}`;
    }),
  );
  return states.join();
}
