import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs once, before the tests: packs the library, which two of their files would do at the same time. */
export default function setUpRun() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'batchlatch-surroundings-')));
  process.env['BATCHLATCH_SURROUNDINGS'] = folder;
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/pack.ts', 'batchlatch']);
}
