import type { LocalService, StartOptions } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { createPGliteDatabase } from './pglite-database.ts';
import { startPGliteServer } from './pglite-server.ts';

/**
 * Starts an empty PostgreSQL inside this process (PGlite: PostgreSQL compiled to WebAssembly), which keeps everything in
 * memory. Connections to it take turns statement by statement, and a transaction keeps the others waiting until it ends: no
 * two statements ever run at the same time.
 */
export async function startPostgresEmulator(options: StartOptions = {}): Promise<LocalService> {
  const db = await createPGliteDatabase();
  const server = await startPGliteServer(db, options.port ?? 0);
  let stopped: Promise<void> | undefined;
  return {
    name: 'PGlite',
    endpoint: `postgres://postgres@127.0.0.1:${server.port}/postgres`,
    stop: () => (stopped ??= server.stop().then(() => db.close())),
  };
}
