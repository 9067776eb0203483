/**
 * Runs the tests of one project of jest.config.js: `scripts/jest.js PROJECT [OPTION or part of a path]…`. Needs Node's
 * `--experimental-vm-modules`. The flags stand before the rest, because Jest takes each word after `--selectProjects` for a project.
 */
import { createRequire } from 'node:module';

/** What differs from jest.config.js, where one setting is for all projects of a run. */
const OPTIONS = {
  // CI runs these beside others, with the time that those leave.
  package: ['--testTimeout=1800000'],
  create: ['--testTimeout=1800000'],
  release: ['--testTimeout=1800000'],
  recipes: ['--testTimeout=1800000'],
  // Two files at a time: an agent takes a second of CPU to start, and what waits for other programs needs few cores.
  surroundings: ['--testTimeout=480000', '--maxWorkers=2'],
  // Three files at a time: each waits for other programs half of its time.
  real: ['--testTimeout=480000', '--maxWorkers=3'],
  // One file at a time: what a history shows depends on how much happens at once.
  linearizability: ['--runInBand'],
  programs: ['--testTimeout=180000'],
};

// Node 20 sometimes spins for ever when it frees what a finished program has left (`Environment::CleanupHandles`), with nothing to
// wait for. The event loop is empty here, so nothing that a test left behind goes unnoticed.
process.on('beforeExit', () => process.exit());

const [project, ...rest] = process.argv.splice(2);
process.argv.push('--selectProjects', project, ...(OPTIONS[project] ?? ['--testTimeout=90000']), ...rest);
createRequire(import.meta.url)('jest/bin/jest');
