/**
 * Makes the next version of the changes that `.changeset` describes: its section of CHANGELOG.md, with the day, and its
 * number in the manifest of each package and the lock file. Where nothing is described, only a section without a day gets one: the first
 * release's, which was written by hand. Run by `node --import tsx scripts/release-version.ts`.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { applyChangesets } from './release/apply-changesets.ts';
import { RELEASED_WITH_IT } from './release/released-with-it.ts';
import { withDate } from './release/with-date.ts';

const root = new URL('../', import.meta.url);
const CHANGELOG = new URL('CHANGELOG.md', root);
const LOCK = new URL('package-lock.json', root);

interface Lock {
  version: string;
  readonly packages: Record<string, { version: string }>;
}

await applyChangesets(fileURLToPath(root));

const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { version: string };
const today = new Date().toISOString().slice(0, 10);
await writeFile(CHANGELOG, withDate(await readFile(CHANGELOG, 'utf8'), version, today));

for (const file of RELEASED_WITH_IT) {
  const place = new URL(file, root);
  const manifest = JSON.parse(await readFile(place, 'utf8')) as object;
  await writeFile(place, `${JSON.stringify({ ...manifest, version }, undefined, 2)}\n`);
}

const lock = JSON.parse(await readFile(LOCK, 'utf8')) as Lock;
lock.version = version;
for (const file of ['package.json', ...RELEASED_WITH_IT]) {
  const entry = lock.packages[file.replace(/\/?package\.json$/, '')];
  if (entry !== undefined) entry.version = version;
}
await writeFile(LOCK, `${JSON.stringify(lock, undefined, 2)}\n`);
