import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servePacked } from './packed-registry.js';

/** Runs once, before the tests: packs the library, which every project installs. */
export default async function setUpRun() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'batchlatch-recipes-')));
  process.env['BATCHLATCH_RECIPES'] = folder;
  const pack = ['--import', 'tsx', 'test/recipes/pack.ts', folder];
  const tarball = execFileSync(process.execPath, pack, { encoding: 'utf8' }).trim();
  const registry = await servePacked(tarball);
  process.env['BATCHLATCH_PACKED'] = registry.spec;
  process.env['npm_config_@packed:registry'] = registry.url;
  globalThis.packedRegistry = registry;
}
