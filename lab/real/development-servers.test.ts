import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../test/support/components/run-command.ts';
import { until } from '../../test/support/until.ts';

const WITHIN_MS = 300_000;

const SITE = ['run', 'dev', '-w', 'site'];

/** The servers that CONTRIBUTING names for work on the project. */
describe('A server to develop with', () => {
  let child: ChildProcess | undefined;
  let printed = '';
  afterEach(async () => {
    if (child?.pid === undefined) return;
    const group = -child.pid;
    const closed = once(child, 'close');
    // npm passes no signal on; the group has all that was started. What starts when the signal comes may miss it.
    process.kill(group, 'SIGTERM');
    const killed = setTimeout(() => process.kill(group, 'SIGKILL'), 10_000);
    await closed;
    clearTimeout(killed);
    child = undefined;
  });

  /** Starts a command and resolves with the address that it prints. */
  async function addressOf(command: string, args: readonly string[], env = {}): Promise<string> {
    printed = '';
    child = spawn(command, args, {
      env: { ...process.env, NO_COLOR: '1', ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (printed += text));
    }
    const address = (): string | undefined => /http:\/\/(?:127\.0\.0\.1|localhost):\d+/.exec(printed)?.[0];
    const ended = (): boolean => child?.exitCode !== null;
    await until('it prints its address', () => address() !== undefined || ended(), WITHIN_MS);
    const found = address();
    if (found === undefined) throw new Error(printed);
    return found;
  }

  it(
    'shows the documentation site',
    async () => {
      const address = await addressOf('npm', [...SITE, '--', '--host', '127.0.0.1', '--port', '0']);
      expect(await (await fetch(address)).text()).toContain('<title>');
    },
    WITHIN_MS,
  );

  it(
    "shows the console's pages from their sources",
    async () => {
      const args = ['vite', 'packages/cli/console-app', '--host', '127.0.0.1', '--port', '0'];
      const address = await addressOf('npx', args, { CONSOLE_URL: 'http://127.0.0.1:9' });
      expect(await (await fetch(address)).text()).toContain('/@vite/client');
    },
    WITHIN_MS,
  );

  it(
    'is a component that tests run against',
    async () => {
      const address = await addressOf('node', [
        '--import',
        'tsx',
        'scripts/components.ts',
        'start',
        'fauxqs',
      ]);
      expect((await fetch(address)).status).toBeLessThan(500);
    },
    WITHIN_MS,
  );

  it('is listed with its version', async () => {
    const list = await runCommand('node', ['--import', 'tsx', 'scripts/components.ts', 'list']);
    expect(list).toMatch(/^dynamodb-local +2\.6\.1 /m);
  });
});
