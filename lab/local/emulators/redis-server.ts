import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';

const PROGRAMS = ['valkey-server', 'redis-server'];

/**
 * Starts an empty Valkey or Redis of this machine, which keeps everything in memory: the one on the PATH, else the one of the tests
 * on real components. No npm package has one.
 */
export async function startRedisServer(options: StartOptions = {}): Promise<LocalService> {
  const command = onPath(PROGRAMS);
  if (command !== undefined) return startProgram(command, options);
  const { redis } = await import('../../../test/support/components/redis.ts');
  const missing = redis.whyMissing();
  if (missing === undefined && redis.start !== undefined) return redis.start(options);
  throw new Error(
    'There is no Redis on this machine: install Redis or Valkey (apt-get install redis-server, brew install valkey), ' +
      'or give the URL of one with --redis-url',
  );
}

function onPath(programs: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const candidates = programs.flatMap((program) => folders.map((folder) => path.join(folder, program)));
  return candidates.find((candidate) => existsSync(candidate));
}

async function startProgram(command: string, { port: wanted }: StartOptions): Promise<LocalService> {
  const port = wanted ?? (await freePort());
  const folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-redis-'));
  const child = await startChild({
    name: 'Redis',
    command,
    args: ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', '--daemonize', 'no'],
    cwd: folder,
    isReady: () => answers(port),
  });
  return {
    name: path.basename(command),
    endpoint: `redis://127.0.0.1:${port}`,
    async stop() {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 }, () => socket.write('PING\r\n'));
    const end = (isReady: boolean): void => {
      socket.destroy();
      resolve(isReady);
    };
    socket.once('data', (answer) => end(answer.toString().startsWith('+PONG')));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
