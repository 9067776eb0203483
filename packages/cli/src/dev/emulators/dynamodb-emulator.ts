import { randomInt } from 'node:crypto';
import path from 'node:path';
import type makeDynalite from 'dynalite';
import { guardServer } from 'batchlatch/operations';
import { listenLocally } from './listen-locally.ts';
import { answersAwsCall } from './aws-probe.ts';
import { startChild } from './child-process.ts';
import { freePort } from './free-port.ts';
import { startGuardingProxy } from './guarding-proxy.ts';
import { importInstalled, installedFolder } from './installed-package.ts';
import type { LocalService, StartOptions } from './local-service.ts';

export type DynamoDBEmulatorKind = 'dynoxide' | 'dynalite';

export interface DynamoDBEmulator extends LocalService {
  readonly kind: DynamoDBEmulatorKind;
  /** Whether `BatchExecuteStatement` works; if not, the store needs `writes: 'single'`. */
  readonly supportsPartiQL: boolean;
}

/**
 * Starts an empty in-memory DynamoDB from npm packages: dynoxide if it is installed, else dynalite. dynoxide
 * is a binary for Linux on x64 with PartiQL and transactions; dynalite is JavaScript, runs everywhere and has
 * neither.
 *
 * dynoxide also answers requests of web pages: use `startGuardedDynamoDB` for a service that stays open while
 * people browse.
 */
export async function startDynamoDBEmulator(
  kind: DynamoDBEmulatorKind = hasDynoxide() ? 'dynoxide' : 'dynalite',
  options: StartOptions = {},
): Promise<DynamoDBEmulator> {
  return kind === 'dynoxide' ? startDynoxide(options) : startDynalite(options);
}

/**
 * Starts an empty DynamoDB that no web page can use. dynoxide answers pages of any origin and listens on TCP
 * only, so it gets a random address of 127.0.0.0/8, one of 16 million, and a proxy in front of it.
 */
export async function startGuardedDynamoDB(options: StartOptions = {}): Promise<DynamoDBEmulator> {
  if (!hasDynoxide()) return startDynalite(options);
  const hidden = await startDynoxide({}, `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`);
  try {
    const { hostname: host, port } = new URL(hidden.endpoint);
    const proxy = await startGuardingProxy(hidden.name, { host, port: Number(port) }, options);
    const stop = async (): Promise<void> => {
      await proxy.stop();
      await hidden.stop();
    };
    return { ...hidden, endpoint: proxy.endpoint, stop };
  } catch (error) {
    await hidden.stop();
    throw error;
  }
}

async function startDynoxide(options: StartOptions, host = '127.0.0.1'): Promise<DynamoDBEmulator> {
  const command = dynoxideBinary();
  if (command === undefined) {
    throw new Error(
      'dynoxide needs the npm package @dynoxide/linux-x64 (Linux on x64); use dynalite instead',
    );
  }
  const port = options.port ?? (await freePort());
  const endpoint = `http://${host}:${port}`;
  const child = await startChild({
    name: 'dynoxide',
    command,
    args: ['--host', host, '--port', String(port)],
    isReady: () => answersAwsCall(endpoint, 'DynamoDB_20120810.ListTables'),
  });
  return { name: 'dynoxide', kind: 'dynoxide', supportsPartiQL: true, endpoint, stop: () => child.stop() };
}

async function startDynalite(options: StartOptions): Promise<DynamoDBEmulator> {
  const { default: dynalite } = (await importInstalled('dynalite')) as {
    readonly default: typeof makeDynalite;
  };
  // By default, a new table stays in CREATING for half a second.
  const server = dynalite({ createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 });
  guardServer(server, '127.0.0.1', options.allowedHosts);
  const port = await listenLocally(server, options.port);

  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= new Promise((resolve) => {
      server.close(() => resolve());
      // Clients keep their connections open, and close() would wait for them.
      server.closeAllConnections();
    });
    return stopped;
  };
  const endpoint = `http://127.0.0.1:${port}`;
  return { name: 'dynalite', kind: 'dynalite', supportsPartiQL: false, endpoint, stop };
}

/** Returns whether dynoxide is installed: an optional dependency, for Linux on x64 only. */
export function hasDynoxide(): boolean {
  return dynoxideBinary() !== undefined;
}

export function hasDynamoDBEmulator(): boolean {
  return hasDynoxide() || installedFolder('dynalite') !== undefined;
}

/** Returns the emulator to install: dynoxide, which has PartiQL and streams, where it runs. */
export function dynamoDBPackage({
  platform,
  arch,
}: { readonly platform: string; readonly arch: string } = process): string {
  return platform === 'linux' && arch === 'x64' ? '@dynoxide/linux-x64' : 'dynalite';
}

function dynoxideBinary(): string | undefined {
  const folder = installedFolder('@dynoxide/linux-x64');
  return folder === undefined ? undefined : path.join(folder, 'dynoxide');
}
