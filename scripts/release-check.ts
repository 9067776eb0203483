/**
 * Lists what is left to do before the package is published, and only its publisher can do: addresses, and the date of the
 * release. Exits with 1 if there is anything. Run by `node --import tsx scripts/release-check.ts`, and by npm before it publishes.
 */
import { readFile } from 'node:fs/promises';
import { openItems, type ReleaseFiles } from './release/open-items.ts';
import { RELEASED_WITH_IT } from './release/released-with-it.ts';

const root = new URL('../', import.meta.url);

async function read(name: string): Promise<string | undefined> {
  return readFile(new URL(name, root), 'utf8').catch(() => undefined);
}

const manifest = JSON.parse((await read('package.json')) ?? '{}') as ReleaseFiles['manifest'];
const packages = Object.fromEntries(
  await Promise.all(
    RELEASED_WITH_IT.map(async (file) => [file, JSON.parse((await read(file)) ?? '{}')] as const),
  ),
) as ReleaseFiles['packages'];
const items = openItems({
  manifest,
  packages,
  readme: await read('README.md'),
  changelog: await read('CHANGELOG.md'),
  security: await read('SECURITY.md'),
});

if (items.length === 0) {
  console.log(`${manifest.name} ${manifest.version} is ready to be published.`);
} else {
  console.log(`${manifest.name} ${manifest.version} is not ready to be published:\n`);
  for (const { file, text } of items) console.log(`  ${file.padEnd(25)}  ${text}`);
  process.exitCode = 1;
}
