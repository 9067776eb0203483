import { afterEach, describe, expect, it } from '@jest/globals';
import type { ClaimsJson, JobJson, Overview, Session } from '../../src/console/api.ts';
import { type ConsoleBrowser, openConsole } from '../../../../test/support/console-browser.ts';
import { until } from '../../../../test/support/until.ts';
import { type Ended, runCommand } from './run-command.ts';

describe('batchlatch console --demo', () => {
  const stopping = new AbortController();
  let ended: Promise<Ended> | undefined;
  let shown = '';
  afterEach(async () => {
    stopping.abort();
    await ended;
  });

  async function start(...args: readonly string[]): Promise<ConsoleBrowser> {
    ended = runCommand(['console', '--demo', ...args], {
      signal: stopping.signal,
      onText: (text) => (shown += text),
    });
    await until('it prints its address', () => shown.includes('Ctrl-C'));
    return openConsole(/http:[^\s"]+token=[\w-]+/.exec(shown)?.[0] ?? '');
  }

  it('is a console on work that is made up, whose dead letters can be sent back', async () => {
    const browser = await start('--rate', '20', '--seed', '3');
    expect(shown).toMatch(/^Made-up orders and mails, 20 a second, on \w+ and fauxqs of this machine/);
    const { queues, ...session } = await browser.get<Session>('/api/session');
    expect(session).toMatchObject({
      place: 'table claims of the demo',
      allowChanges: true,
      readsBySelf: true,
    });
    const deadLetters = queues.find(({ name }) => name === 'orders-dead-letters');
    expect(deadLetters).toMatchObject({ isDeadLetter: true });

    const events = browser.listen();
    await events.until<Overview>(
      'overview',
      ({ counts, statistics }) =>
        (counts.overdue.count ?? 0) >= 3 && (counts.parked.count ?? 0) >= 1 && statistics !== undefined,
    );
    const queue = deadLetters?.url ?? '';
    const { plan } = await browser.post<{ plan: string }>('/api/dead-letters/plan', {
      queue,
      which: 'all',
      completed: 'skip',
    });
    const { job } = await browser.post<{ job: string }>('/api/dead-letters/redrive', {
      plan,
      reason: 'the provider is back',
    });
    await events.until<JobJson>('job', ({ id, ended: how }) => id === job && how === 'whole');
    await until('an order whose process died is done', async () => {
      const { claims } = await browser.get<ClaimsJson>('/api/claims?by=key&q=orders%23v1%3Ao-48');
      return claims[0]?.status === 'COMPLETED';
    });
    events.close();
    stopping.abort();
    expect((await ended)?.status).toBe(0);
    expect(shown).toContain('by ann@laptop: "the provider is back"');
  });
});

it.each([
  ['a table', ['--demo', '--table', 'claims'], 'leave --table out, or --demo'],
  ['a queue', ['--demo', '--queue', 'orders'], 'leave --queue out, or --demo'],
  ['no demo and a seed', ['--table', 'claims', '--seed', '2'], '--seed and --rate are for --demo'],
])('batchlatch console is refused with %s', async (_what, args, message) => {
  const { status, err } = await runCommand(['console', ...args]);
  expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining(message) });
});
