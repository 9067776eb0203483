import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs once, before the tests: packs the library, as `npm publish` would. */
export default function setUpRun() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'batchlatch-surroundings-')));
  process.env['BATCHLATCH_SURROUNDINGS'] = folder;
  const pack = ['--import', 'tsx', 'test/recipes/pack.ts', folder];
  process.env['BATCHLATCH_TARBALL'] = execFileSync(process.execPath, pack, { encoding: 'utf8' }).trim();
}
