import { rmSync } from 'node:fs';

/** Runs once, after the tests. */
export default function tearDownRun() {
  const folder = process.env['BATCHLATCH_SURROUNDINGS'];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
