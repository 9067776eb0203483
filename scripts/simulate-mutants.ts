// Takes one rule after the other out of a copy of the source, and shows which invariant or test notices. See --help.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { positiveInteger } from './command-line/positive-integer.ts';
import type { Mutant } from '../lab/rules/mutant.ts';
import { mutatedFiles } from '../lab/rules/mutated-files.ts';
import { mutants } from '../lab/simulation/mutants/mutants.ts';
import { Random } from '../lab/simulation/virtual-world/random.ts';
import type { Summary } from '../lab/simulation/run-seeds.ts';

interface Options {
  readonly seeds: number;
  readonly only?: string;
  readonly sample?: number;
  readonly sampleSeed: number;
  readonly json: boolean;
}

interface Verdict {
  readonly mutant: string;
  readonly takesOut: string;
  readonly caughtBy: string | undefined;
  readonly seed?: number;
  readonly mode?: string;
  readonly durationMs: number;
}

const ROOT = path.resolve(import.meta.dirname, '..');
const COPIED = [
  'src',
  'packages',
  'test',
  'lab',
  'scripts',
  'site/dashboards',
  'package.json',
  'tsconfig.json',
  'jest.config.js',
];
const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
  '--json',
  '--testEnvironment=<rootDir>/test/support/bail-environment.js',
];
/** A simulation is stopped after this time, and counts as one that caught nothing. */
const LONGEST_MS = 300_000;

const UNCHANGED: Mutant = { name: '(no change)', takesOut: 'nothing', changes: [] };

const options = new Command()
  .name('lab:mutants')
  .description(
    'Shows that the simulation bites: takes one rule after the other out of a copy of the source, runs seeds ' +
      'until an invariant fails, and reports which. A rule that only a named test holds is judged by that test. Exits with 1 when one is not caught, or when the ' +
      'simulation fails without any change.',
  )
  .option('--seeds <count>', 'how many seeds to run at most for each mutant', positiveInteger, 3_000)
  .option('--only <text>', 'only the mutants with this in their name')
  .option('--sample <count>', 'only so many of them, drawn by --sample-seed', positiveInteger)
  .option('--sample-seed <seed>', 'which are drawn', positiveInteger, 1)
  .option('--json', 'print JSON', false)
  .addHelpText(
    'after',
    `
Examples:
  npm run lab:mutants
  npm run lab:mutants -- --only 'lease check' --seeds 100
  npm run lab:mutants -- --sample 5 --sample-seed 7`,
  )
  .parse()
  .opts<Options>();

const named = mutants.filter(({ name }) => options.only === undefined || name.includes(options.only));
const chosen = sampleOf(named, options.sample ?? named.length, options.sampleSeed);
if (chosen.length === 0) {
  console.error('No mutant has that in its name');
  process.exit(1);
}
const verdicts: Verdict[] = [];
if (!options.json && chosen.length < named.length) {
  console.log(`${chosen.length} of ${named.length} mutants, drawn by seed ${options.sampleSeed}\n`);
}
if (!options.json) console.log(`${'mutant'.padEnd(38)}${'caught by'.padEnd(40)}seed`);
for (const mutant of [UNCHANGED, ...chosen]) {
  const verdict = await judge(mutant);
  verdicts.push(verdict);
  if (!options.json) show(verdict);
}
if (options.json) console.log(JSON.stringify(verdicts, undefined, 2));
if (verdicts.some(isWrong)) process.exitCode = 1;

/** So many of them in their order: the same for the same seed. */
function sampleOf(all: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = new Random(seed);
  const drawn = [...all];
  while (drawn.length > count) drawn.splice(random.integer(0, drawn.length - 1), 1);
  return drawn;
}

async function judge(mutant: Mutant): Promise<Verdict> {
  const { name, takesOut } = mutant;
  const verdict = { mutant: name, takesOut };
  const startedAt = performance.now();
  const elapsedMs = (): number => performance.now() - startedAt;
  const folder = mkdtempSync(path.join(tmpdir(), 'batchlatch-mutant-'));
  try {
    for (const part of COPIED) cpSync(path.join(ROOT, part), path.join(folder, part), { recursive: true });
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
    for (const [file, text] of mutatedFiles(folder, mutant.changes))
      writeFileSync(path.join(folder, file), text);
    if (mutant.pinnedBy !== undefined) {
      const { failed, broken } = await failuresIn(folder, [mutant.pinnedBy]);
      const caughtBy = failed > 0 && broken === 0 ? mutant.pinnedBy : undefined;
      return { ...verdict, caughtBy, durationMs: elapsedMs() };
    }
    const pinning = mutant === UNCHANGED ? chosen.flatMap(({ pinnedBy }) => pinnedBy ?? []) : [];
    if (pinning.length > 0) {
      const { failed, broken } = await failuresIn(folder, pinning);
      if (failed + broken > 0) return { ...verdict, caughtBy: 'a named test', durationMs: elapsedMs() };
    }
    const seeds = mutant === UNCHANGED ? Math.min(100, options.seeds) : options.seeds;
    const { failures } = await simulate(folder, seeds);
    const [first] = failures;
    return {
      ...verdict,
      caughtBy: first?.violation.invariant,
      ...(first !== undefined && { seed: first.seed, mode: first.mode }),
      durationMs: elapsedMs(),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function simulate(folder: string, seeds: number): Promise<Pick<Summary, 'failures'>> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'scripts/simulate.ts', '--json', '--stop-at-first', '--seeds', String(seeds)],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: LONGEST_MS },
  );
  const { output, errors } = await outputOf(child);
  if (child.killed) return { failures: [] };
  try {
    return JSON.parse(output) as Summary;
  } catch {
    throw new Error(`The simulation did not end with a summary:\n${errors}`);
  }
}

/** Runs tests of the copy: how many fail, and how many files do as a whole. */
async function failuresIn(
  folder: string,
  testFiles: readonly string[],
): Promise<{ readonly failed: number; readonly broken: number }> {
  const child = spawn(process.execPath, [...JEST, ...testFiles], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
  });
  const { output, errors } = await outputOf(child);
  try {
    const { numFailedTests: failed, numRuntimeErrorTestSuites: broken } = JSON.parse(output) as JestResult;
    return { failed, broken };
  } catch {
    throw new Error(`${testFiles.join(', ')} did not end with a result:\n${errors}`);
  }
}

interface JestResult {
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

function outputOf(child: ChildProcess): Promise<{ output: string; errors: string }> {
  return new Promise((resolve, reject) => {
    let output = '';
    let errors = '';
    child.stdout?.on('data', (chunk) => (output += String(chunk)));
    child.stderr?.on('data', (chunk) => (errors += String(chunk)));
    child.once('error', reject);
    child.once('close', () => resolve({ output, errors }));
  });
}

function show(verdict: Verdict): void {
  const { mutant, caughtBy, seed, mode, durationMs } = verdict;
  const where = seed === undefined ? '' : `${seed} ${mode}`;
  const mark = isWrong(verdict) ? '  ← WRONG' : '';
  console.log(
    `${mutant.padEnd(38)}${(caughtBy ?? 'nothing').padEnd(40)}${where.padEnd(16)}${(durationMs / 1_000).toFixed(1)} s${mark}`,
  );
}

/** Nothing may be found in the unchanged source; in a mutant, one of the system's invariants has to fail. */
function isWrong({ mutant, caughtBy }: Verdict): boolean {
  if (mutant === UNCHANGED.name) return caughtBy !== undefined;
  return caughtBy === undefined || caughtBy === 'simulation-itself';
}
