import { rm } from 'node:fs/promises';

/** Runs once, after the tests. */
export default async function tearDownRun() {
  const folder = process.env['BATCHLATCH_RUN_FOLDER'];
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
