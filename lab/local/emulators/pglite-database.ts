import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PGlite } from '@electric-sql/pglite';

/**
 * An empty database of PGlite. To make one takes seconds of CPU, to load a copy of one that was made before takes a fraction:
 * the first is kept in `node_modules/.cache`.
 */
export async function createPGliteDatabase(): Promise<PGlite> {
  const { PGlite: Database } = await import('@electric-sql/pglite');
  const file = snapshotFile();
  const kept = await readFile(file).catch(() => undefined);
  if (kept !== undefined) return Database.create({ loadDataDir: new Blob([kept]) });
  const db = await Database.create();
  await keep(db, file).catch(() => undefined); // it only saves time
  return db;
}

/** Of each version its own: another may not read it. */
function snapshotFile(): string {
  const main = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = createRequire(main)(path.join(path.dirname(main), '..', 'package.json')) as {
    readonly version: string;
  };
  return fileURLToPath(
    new URL(`../../node_modules/.cache/batchlatch/pglite-${version}.tar`, import.meta.url),
  );
}

/** Under its name is always a whole one, also when several processes keep one at the same time. */
async function keep(db: PGlite, file: string): Promise<void> {
  const dump = await db.dumpDataDir('none');
  await mkdir(path.dirname(file), { recursive: true });
  const part = `${file}.${process.pid}`;
  await writeFile(part, new Uint8Array(await dump.arrayBuffer()));
  await rename(part, file);
}
