import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { startChild } from '../../../packages/cli/src/dev/emulators/child-process.ts';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';

/** Starts the PostgreSQL emulator where its work keeps nobody else waiting: in a process of its own. */
export async function startPostgresProcess(): Promise<LocalService> {
  const port = await freePort();
  const endpoint = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const child = await startChild({
    name: 'PGlite',
    command: process.execPath,
    args: [
      '--import',
      import.meta.resolve('tsx'),
      fileURLToPath(new URL('./postgres-process.ts', import.meta.url)),
      String(port),
    ],
    isReady: () => answers(endpoint),
  });
  return { name: 'PGlite', endpoint, stop: () => child.stop() };
}

async function answers(endpoint: string): Promise<boolean> {
  const client = new Client({ connectionString: endpoint, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
}
