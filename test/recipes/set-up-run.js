import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servePacked } from './packed-registry.js';

/** Runs once, before the tests: packs the library, which every project installs, and the constructs. */
export default async function setUpRun() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'batchlatch-recipes-')));
  process.env['BATCHLATCH_RECIPES'] = folder;
  const pack = ['--import', 'tsx', 'scripts/pack.ts', 'batchlatch', 'batchlatch-cdk'];
  const tarballs = execFileSync(process.execPath, pack, { encoding: 'utf8' }).trim().split('\n');
  const registry = await servePacked(tarballs);
  const [library, constructs] = registry.specs;
  process.env['BATCHLATCH_PACKED'] = library;
  process.env['BATCHLATCH_PACKED_CDK'] = constructs;
  process.env['npm_config_@packed:registry'] = registry.url;
  globalThis.packedRegistry = registry;
}
