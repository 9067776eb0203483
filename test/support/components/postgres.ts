import { existsSync } from 'node:fs';
import { chown, cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningChild, startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import type { Component } from './component.ts';
import { debianEnvironment, debianFolder, type DebianPackages, whyDebianMissing } from './debian-packages.ts';
import { isOnPath, runCommand } from './run-command.ts';

const VERSION = '15';
const PROGRAMS = `usr/lib/postgresql/${VERSION}/bin`;

const PACKAGES: DebianPackages = {
  folder: `postgresql-${VERSION}-debian`,
  packages: (
    `postgresql-${VERSION} libpq5 libicu72 libxml2 libldap-2.5-0 libsasl2-2 libgssapi-krb5-2 libkrb5-3 libk5crypto3 ` +
    'libkrb5support0 libkeyutils1 libcom-err2 liblz4-1 libzstd1 libsystemd0 libssl3 libpam0g libaudit1 libcap-ng0'
  ).split(' '),
};

/** A running PostgreSQL. `endpoint` is a connection string of its superuser, who needs no password. */
export interface PostgresServer extends LocalService {
  /** Where its data are; to be read while it is shut down. */
  readonly dataFolder: string;
  /** With `smallDiskMb`: an empty folder, for a tablespace. */
  readonly smallDisk: string;
  /** Ends all of its processes at once (`kill -9`), as a machine that fails does. */
  crash(): Promise<void>;
  /** Ends it as an operator does: connections are told, and closed. */
  shutDown(): Promise<void>;
  /** Starts it again on the same port, with what it holds. */
  startAgain(): Promise<void>;
}

export interface PostgresOptions extends StartOptions {
  /** Such as `{ max_connections: '10' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Makes its data folder. Default: a new cluster. */
  readonly fill?: (dataFolder: string) => Promise<unknown>;
  /** Gives it a disk of this size besides, which is empty again when it is started again. For root only. */
  readonly smallDiskMb?: number;
}

export const postgres: Component = {
  name: 'postgres',
  version: VERSION,
  purpose: 'PostgreSQL, of the Debian release of this machine',
  whyMissing,
  install: async () => void (hasOwn() || (await debianFolder(PACKAGES))),
  start: startPostgres,
};

/** Starts an empty PostgreSQL, whose data goes to a folder that is deleted when it stops. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const own = await mkdtemp(join(tmpdir(), 'postgres-'));
  const { folder, env } = await programsFor(own);
  const data = join(own, 'data');
  const port = options.port ?? (await freePort());
  if (isRoot()) await chown(own, NOBODY, NOBODY);
  const [initdb, ...set] = asNobody(join(folder, 'initdb'));
  const how = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const { fill = () => runCommand(initdb, [...set, ...how], { env, cwd: own }) } = options;
  await fill(data);
  const smallDisk = join(own, 'small-disk');
  await mkdir(smallDisk);

  const usual = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    jit: 'off',
  };
  const settings = { ...usual, ...options.settings };
  const plain = asNobody(join(folder, 'postgres'));
  const { smallDiskMb } = options;
  const [command, ...before] = smallDiskMb === undefined ? plain : withDisk(smallDisk, smallDiskMb, plain);
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const start = (): Promise<RunningChild> =>
    startChild({
      name: 'PostgreSQL',
      command,
      args: [...before, '-D', data, '-p', String(port), ...given],
      env: { ...process.env, ...env },
      cwd: own,
      isReady: () => takesConnections(port),
    });

  let child = await start();
  return {
    name: 'PostgreSQL',
    endpoint: `postgres://postgres@127.0.0.1:${port}/postgres`,
    dataFolder: data,
    smallDisk,
    async crash() {
      // Each of its processes is in a group of its own; the first one must not start others meanwhile.
      process.kill(child.pid, 'SIGSTOP');
      for (const pid of [...(await childrenOf(child.pid)), child.pid]) process.kill(pid, 'SIGKILL');
      await child.stop();
    },
    async shutDown() {
      process.kill(child.pid, 'SIGINT'); // "fast": with the SIGTERM that follows it would wait until its clients have gone
      await child.stop();
    },
    async startAgain() {
      child = await start();
    },
    async stop() {
      await child.stop();
      await rm(own, { recursive: true, force: true });
    },
  };
}

async function childrenOf(pid: number): Promise<number[]> {
  const pids = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return pids.split(' ').filter(Boolean).map(Number);
}

/** Starts a program with a file system at `folder` that only its own processes see, and that goes with them. */
function withDisk(folder: string, megabytes: number, program: readonly string[]): [string, ...string[]] {
  const options = `size=${megabytes}m,mode=700,uid=${NOBODY},gid=${NOBODY}`;
  const script = `mount -t tmpfs -o ${options} tmpfs "$0" && exec "$@"`;
  return ['unshare', '--mount', 'sh', '-c', script, folder, ...program];
}

/** PostgreSQL does not run as root. This is `nobody` wherever there is one, who may still read what root has unpacked. */
export const NOBODY = 65_534;

export function asNobody(program: string): [string, ...string[]] {
  if (!isRoot()) return [program];
  const caps = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...caps, program];
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Whether it lets its superuser in: before, it says that it is starting up. */
export function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answered = (isReady: boolean): void => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(1_000, () => answered(false));
    socket.on('error', () => answered(false));
    socket.on('close', () => answered(false));
    socket.on('data', (data) => answered(data.toString('latin1').startsWith('R')));
    // The start-up message of protocol 3.0. `R` is about authentication, and `E` an error.
    const parameters = Buffer.from('user\0postgres\0database\0postgres\0\0');
    const message = Buffer.alloc(8 + parameters.length);
    message.writeInt32BE(message.length, 0);
    message.writeInt32BE(196_608, 4);
    parameters.copy(message, 8);
    socket.write(message);
  });
}

interface Programs {
  readonly folder: string;
  readonly env: Record<string, string>;
}

/**
 * Those of this machine if it has them; else they are unpacked. PostgreSQL looks for its own files without the rights that
 * `nobody` is given here: of what root has unpacked, at a place that only root may see, it gets a copy.
 */
async function programsFor(own: string): Promise<Programs> {
  if (hasOwn()) return { folder: `/${PROGRAMS}`, env: {} };
  const unpacked = await debianFolder(PACKAGES);
  const folder = isRoot() ? join(own, 'programs') : unpacked;
  if (isRoot())
    await cp(join(unpacked, 'usr'), join(folder, 'usr'), { recursive: true, verbatimSymlinks: true });
  const { LD_LIBRARY_PATH = '' } = debianEnvironment(folder);
  return { folder: join(folder, PROGRAMS), env: { LD_LIBRARY_PATH } };
}

function hasOwn(): boolean {
  return existsSync(`/${PROGRAMS}/postgres`);
}

function whyMissing(): string | undefined {
  if (isRoot() && !isOnPath('setpriv')) {
    return 'setpriv (Debian: util-linux) is not on PATH, and PostgreSQL does not run as root';
  }
  return hasOwn() ? undefined : whyDebianMissing(PACKAGES);
}
