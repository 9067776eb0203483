import { freePort } from './free-port.ts';
import type { LocalService, StartOptions } from './local-service.ts';

/** How many connections it takes: those of the pools of a few processes. */
const MOST_CONNECTIONS = 200;

/**
 * Starts an empty PostgreSQL inside this process (PGlite: PostgreSQL compiled to WebAssembly), which keeps everything in
 * memory. Connections to it take turns statement by statement, and a transaction keeps the others waiting until it ends: no
 * two statements ever run at the same time.
 */
export async function startPostgresEmulator(options: StartOptions = {}): Promise<LocalService> {
  const [{ PGlite }, { PGLiteSocketServer }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite-socket'),
  ]);
  const db = await PGlite.create();
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
