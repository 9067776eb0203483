import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Runs once, before the tests: makes a folder for what several of their files use, such as the built functions.
 * When all of them are to run, it also installs what they need, two things at a time, because on a new machine
 * one after the other takes minutes longer. What fails here is installed again, and reported, by the tests
 * that need it.
 */
export default async function setUpRun({ nonFlagArgs, testNamePattern }) {
  process.env['BATCHLATCH_RUN_FOLDER'] = await mkdtemp(join(tmpdir(), 'batchlatch-real-'));
  // Some tests start the command line as it is built. After a change of it: `npm run build`.
  if (!existsSync('packages/cli/dist')) await run('npm', ['run', '--silent', 'build']);
  if (nonFlagArgs.length > 0 || (testNamePattern ?? '') !== '') return;
  await Promise.all([
    // The second takes from the first the runtime client, which takes a minute to compile.
    installed(['lambda-runtime']).then(installSam),
    installed(['toxiproxy', 'ministack', 'moto', 'dynamodb-local', 'elasticmq', 'chromium', 'lighthouse']),
  ]);
}

function installed(components) {
  return run(process.execPath, ['--import', 'tsx', 'scripts/components.ts', 'install', ...components]);
}

/** SAM CLI, and for root, as which alone it works, the container engine of `sam local`. */
function installSam() {
  return process.getuid?.() === 0
    ? run('scripts/sam-local.sh', ['setup', '22'])
    : run('scripts/sam.sh', ['setup']);
}

/** Standard output may be jest's JSON. */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 2, 2] });
    child.once('error', resolve);
    child.once('exit', resolve);
  });
}
