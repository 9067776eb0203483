import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type RunningChild, startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import type { Component } from './component.ts';
import { debianEnvironment, debianFolder, type DebianPackages, whyDebianMissing } from './debian-packages.ts';
import { closeRedis } from '../close-redis.ts';

const PACKAGES: DebianPackages = {
  folder: 'redis-debian',
  packages: ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1'],
};

export const redis: Component = {
  name: 'redis',
  version: 'Debian',
  purpose: 'Redis as Debian packages it; Valkey is not to be had there',
  whyMissing: () => whyDebianMissing(PACKAGES),
  install: async () => void (await debianFolder(PACKAGES)),
  start: (options) => startRedis(options),
};

export interface RedisOptions extends StartOptions {
  /** Settings besides, as the command line takes them: `['--appendonly', 'yes']`. */
  readonly settings?: readonly string[];
}

/** A Redis of one process, whose data outlive a restart as far as its settings keep them. */
export interface RedisService extends LocalService {
  readonly port: number;
  /** Of the process that serves now. */
  pid(): number;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and data, after `kill`, or after it was stopped in an orderly way. */
  restart(): Promise<void>;
}

/** Starts Redis on a free port of the loopback interface; it keeps nothing on disk unless the settings say so. */
export async function startRedis({ port: wanted, settings = [] }: RedisOptions = {}): Promise<RedisService> {
  const folder = await debianFolder(PACKAGES);
  const port = wanted ?? (await freePort());
  const data = await mkdtemp(join(tmpdir(), 'batchlatch-redis-'));
  const args = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--dir',
    data,
    '--save',
    '',
    '--daemonize',
    'no',
  ];
  let child: RunningChild | undefined;

  async function start(): Promise<void> {
    child = await startChild({
      name: 'Redis',
      command: join(folder, 'usr/bin/redis-server'),
      args: [...args, ...settings],
      cwd: data,
      env: debianEnvironment(folder),
      isReady: () => answers(port),
    });
  }
  await start();

  return {
    name: 'Redis',
    endpoint: `redis://127.0.0.1:${port}`,
    port,
    pid: () => child?.pid ?? -1,
    async kill() {
      if (child !== undefined) process.kill(-child.pid, 'SIGKILL');
      await child?.stop();
    },
    async restart() {
      await child?.stop();
      await start();
    },
    async stop() {
      await child?.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Whether it answers; that it wants a password is an answer. */
async function answers(port: number): Promise<boolean> {
  const client = new Redis({
    port,
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 1_000,
    enableReadyCheck: false,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } catch (error) {
    return error instanceof Error && error.message.startsWith('NOAUTH');
  } finally {
    await closeRedis(client);
  }
}
