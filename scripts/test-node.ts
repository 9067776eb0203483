// Runs the tests on another line of Node than the one that runs npm. See --help.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { Argument, Command } from 'commander';
import { nodeBinary, type NodeVersion, nodeVersions } from '../test/support/components/node.ts';
import { runCommand } from '../test/support/components/run-command.ts';

const program = new Command()
  .name('lab:node')
  .description(
    'Runs `npm test` on a newer line of Node: 22, 24 or 26, in the release that scripts/pins names. It is installed ' +
      'from npm, 200 MB, into the folder that BATCHLATCH_CACHE names (default: ~/.cache/batchlatch).',
  )
  .addArgument(new Argument('<line>', 'of Node').choices(nodeVersions.map(String)))
  .option('--script <name>', 'another script of tests, such as lab:programs', 'test')
  .argument('[arguments...]', 'for jest, as `npm test` takes them')
  .passThroughOptions()
  .addHelpText(
    'after',
    `
Examples:
  npm run lab:node -- 22
  npm run lab:node -- 24 test/batch
  npm run lab:node -- 26 test/claims --verbose
  npm run lab:node -- --script lab:programs 24`,
  )
  .action(run);

await program.parseAsync().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

async function run(line: string, args: readonly string[], { script }: { script: string }): Promise<void> {
  const node = await nodeBinary(Number(line) as NodeVersion);
  const version = (await runCommand(node, ['--version'])).trim();
  // Standard output may be jest's JSON.
  console.error(`Node ${version}`);
  // By PATH, so that tests which start `npm start` or `npx` are on this Node too.
  const PATH = [dirname(node), process.env['PATH'] ?? ''].join(delimiter);
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
    env: { ...process.env, PATH, BATCHLATCH_TEST_NODE: version },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [status] = (await once(child, 'exit')) as [number | null];
  process.exitCode = status ?? 1;
}
