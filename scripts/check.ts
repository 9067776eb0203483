// Looks at all that needs no test: see --help.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { Command } from 'commander';
import { type PackageName, packedPackage } from './release/packed-package.ts';

const ATTW = ['--format', 'table-flipped', '--no-color', '--no-emoji', '--profile', 'node16'];

type Commands = readonly (readonly string[])[];

/** Each step, and the commands that it runs. */
const STEPS: Readonly<Record<string, Commands | (() => Promise<Commands>)>> = {
  format: [['oxfmt', '--check', '.']],
  lint: [['oxlint', '--type-aware', '--deny-warnings']],
  types: ['tsconfig.json', 'packages/cli/console-app/tsconfig.json', 'site/tsconfig.json'].map((config) => [
    'tsc',
    '-p',
    config,
  ]),
  words: [['node', '--import', 'tsx', 'scripts/check-words.ts']],
  unused: [['knip', '--config', 'scripts/knip.json']],
  build: [['npm', 'run', '--silent', 'build']],
  package: ofPackages,
};

const program = new Command('check')
  .description(
    'Checks format, lint, types, words, unused code, the build, and the packages as they are published. Runs every step, and names at the end ' +
      'those that failed; `npm run fix` repairs what it can of the first two.',
  )
  .argument('[step...]', `only these: ${Object.keys(STEPS).join(', ')}`)
  .addHelpText('after', '\nExamples:\n  npm run check\n  npm run check -- lint types')
  .parse();

for (const name of program.args) {
  if (STEPS[name] === undefined)
    program.error(`There is no step \`${name}\`: ${Object.keys(STEPS).join(', ')}`);
}
const failed: string[] = [];
for (const [name, commands] of Object.entries(STEPS)) {
  if (program.args.length > 0 && !program.args.includes(name)) continue;
  if (name === 'package' && failed.includes('build')) continue; // it packs what was built
  const startedAt = performance.now();
  for (const [command = '', ...args] of typeof commands === 'function' ? await commands() : commands) {
    // A shell, because npm's programs are scripts on Windows.
    const { status } = spawnSync([command, ...args].join(' '), { shell: true, stdio: 'inherit' });
    if (status !== 0 && !failed.includes(name)) failed.push(name);
  }
  const result = failed.includes(name) ? 'FAILED' : 'passed';
  process.stdout.write(
    `check: ${name} ${result}, ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`,
  );
}
if (failed.length > 0) program.error(`check: ${failed.join(', ')} failed`);

async function ofPackages(): Promise<Commands> {
  const packed = async (name: PackageName): Promise<string> => path.relative('.', await packedPackage(name));
  const library = await packed('batchlatch');
  const constructs = await packed('batchlatch-cdk');
  return [
    ...[library, constructs, await packed('batchlatch-cli')].map((tarball) => [
      'publint',
      '--strict',
      tarball,
    ]),
    ...[library, constructs].map((tarball) => ['attw', tarball, ...ATTW]),
  ];
}
