import { rmSync } from 'node:fs';

/** Runs once, after the tests. */
export default function tearDownRun() {
  globalThis.packedRegistry?.stop();
  const folder = process.env['BATCHLATCH_RECIPES'];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
