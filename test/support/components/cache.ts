import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

const ABANDONED_AFTER_MS = 3_600_000;

/** Where components are installed: `BATCHLATCH_CACHE`, or `~/.cache/batchlatch`. */
function cacheFolder(): string {
  return process.env['BATCHLATCH_CACHE'] || join(homedir(), '.cache', 'batchlatch');
}

/** The folder of an installed component, such as `elasticmq-1.6.12`; it need not exist yet. */
export function installedAt(name: string): string {
  return join(cacheFolder(), name);
}

const running = new Map<string, Promise<string>>();

/**
 * The folder `name` of the cache. When it is not there, `fill` makes its contents in a temporary folder, which
 * then gets the name in one step: a folder that has the name is complete. Two processes may install the same
 * thing at once; both work, the first to finish wins, and the other takes the winner's.
 *
 * What `fill` makes must not contain the temporary folder's path.
 */
export async function installOnce(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const target = installedAt(name);
  if (existsSync(target)) return target;
  let installation = running.get(target);
  if (installation === undefined) {
    installation = install(target, name, fill).finally(() => running.delete(target));
    running.set(target, installation);
  }
  return installation;
}

async function install(
  target: string,
  name: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  await mkdir(cacheFolder(), { recursive: true });
  await removeAbandoned(`.${name}-`);
  const temporary = await mkdtemp(join(cacheFolder(), `.${name}-`));
  try {
    await fill(temporary);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // A folder cannot be renamed onto one with contents: somebody else was first.
    if (!existsSync(target)) throw error;
  }
  return target;
}

/** Removes what installations that were killed have left. */
async function removeAbandoned(prefix: string): Promise<void> {
  const entries = (await readdir(cacheFolder())).filter((entry) => entry.startsWith(prefix));
  for (const entry of entries) {
    const path = join(cacheFolder(), entry);
    const modified = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - modified > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
  }
}
