import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PGlite } from '@electric-sql/pglite';
import { freePort } from './free-port.ts';
import type { LocalService, StartOptions } from './local-service.ts';

/** How many connections it takes: those of the pools of a few processes. */
const MOST_CONNECTIONS = 200;

/**
 * Starts an empty PostgreSQL inside this process (PGlite: PostgreSQL compiled to WebAssembly), which keeps everything in
 * memory. Its connections share one session and take turns, and a transaction keeps the others waiting until it ends: no two
 * statements ever run at the same time, so nothing waits for a lock, and nothing deadlocks.
 */
export async function startPostgresEmulator(options: StartOptions = {}): Promise<LocalService> {
  const { PGLiteSocketServer } = await import('@electric-sql/pglite-socket');
  const db = await emptyDatabase();
  const port = options.port ?? (await freePort());
  const server = new PGLiteSocketServer({ db, port, host: '127.0.0.1', maxConnections: MOST_CONNECTIONS });
  await server.start();
  let stopped: Promise<void> | undefined;
  return {
    name: 'PGlite',
    endpoint: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: () => (stopped ??= server.stop().then(() => db.close())),
  };
}

/** To set up a database takes PGlite several seconds, and to load one a fraction of that: the first one is kept. */
async function emptyDatabase(): Promise<PGlite> {
  const { PGlite } = await import('@electric-sql/pglite');
  const file = join(CACHE, `pglite-${installedVersion()}.tar`);
  const kept = await readFile(file).catch(() => undefined);
  if (kept !== undefined) return PGlite.create({ loadDataDir: new Blob([kept]) });
  const db = await PGlite.create();
  const dump = await db.dumpDataDir('none');
  await mkdir(CACHE, { recursive: true });
  const written = `${file}.${randomUUID()}`;
  await writeFile(written, Buffer.from(await dump.arrayBuffer()));
  await rename(written, file); // whoever else finds it finds all of it
  return db;
}

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/batchlatch', import.meta.url));

function installedVersion(): string {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = createRequire(import.meta.url)(join(dirname(entry), '..', 'package.json')) as {
    readonly version: string;
  };
  return version;
}
