import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import type { Component } from './component.ts';
import { debianEnvironment, debianFolder, type DebianPackages, whyDebianMissing } from './debian-packages.ts';
import { asNobody, isRoot, NOBODY, takesConnections } from './postgres.ts';
import { isOnPath } from './run-command.ts';

const PACKAGES: DebianPackages = {
  folder: 'pgbouncer-debian',
  packages: ['pgbouncer', 'libevent-2.1-7', 'libc-ares2', 'libssl3', 'libpam0g', 'libaudit1', 'libsystemd0'],
};

export const pgbouncer: Component = {
  name: 'pgbouncer',
  version: '1.18',
  purpose: 'PgBouncer in transaction mode before a PostgreSQL, of the Debian release of this machine',
  whyMissing: () =>
    isRoot() && !isOnPath('setpriv')
      ? 'setpriv (Debian: util-linux) is not on PATH, and PgBouncer does not run as root'
      : whyDebianMissing(PACKAGES),
  install: async () => void (await debianFolder(PACKAGES)),
};

export interface PgBouncerOptions extends StartOptions {
  /** The server's, as `startPostgres` gives it. */
  readonly upstream: string;
  /** How many connections to the server all clients share. */
  readonly poolSize: number;
}

/** Starts a PgBouncer that lends a connection for a transaction at a time. */
export async function startPgBouncer(options: PgBouncerOptions): Promise<LocalService> {
  const folder = await debianFolder(PACKAGES);
  const own = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const port = options.port ?? (await freePort());
  const { hostname, port: serverPort } = new URL(options.upstream);
  const file = join(own, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
postgres = user=postgres host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${options.poolSize}
max_client_conn = 500
server_login_retry = 1
`,
  );
  if (isRoot()) await chown(own, NOBODY, NOBODY);
  const [command, ...before] = asNobody(join(folder, 'usr/sbin/pgbouncer'));
  const child = await startChild({
    name: 'PgBouncer',
    command,
    args: [...before, file],
    env: debianEnvironment(folder),
    cwd: own,
    isReady: () => takesConnections(port),
  });
  return {
    name: 'PgBouncer',
    endpoint: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await child.stop();
      await rm(own, { recursive: true, force: true });
    },
  };
}
