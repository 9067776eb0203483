/**
 * Measures commits beside each other: the library of each, built as it is published, in the workers of this one, in turns. The
 * first is measured in two processes, which shows how much two processes of the same code differ.
 */
import '../../packages/cli/src/dev/emulators/quiet-sdk.ts';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { contenders, type ContenderName, serverOf } from './contenders/index.ts';
import { buildWorkers } from './harness/build.ts';
import { type Lab, openLab } from './harness/lab.ts';
import { BUILD, ROOT } from './harness/paths.ts';
import { createProgress, type Progress } from './harness/progress.ts';
import { inTurn, nextCell } from './harness/rounds.ts';
import { stopOnSignals } from './harness/stop-early.ts';
import { startStoreServers } from './harness/store-servers.ts';
import { serveOverTls } from './harness/tls-proxy.ts';
import { WorkerProcess } from './harness/worker-process.ts';
import { cpuPerRecord, medianWall } from './sections/cells.ts';
import { keepBusy, MIXES } from './sections/warm-up.ts';
import { pairedRatio, type Spread, spreadOf } from './statistics.ts';
import type { BatchesJob, BatchesResult } from './worker/jobs.ts';
import type { Mix } from './workload.ts';

interface Options {
  readonly contender: ContenderName;
  readonly size: number;
  readonly mix: Mix;
  readonly batches: number;
  readonly rounds: number;
  readonly warmUpSeconds: number;
  readonly json: boolean;
}

/** What was measured of a commit, in its own process. */
interface Measured {
  readonly commit: string;
  readonly worker: WorkerProcess;
  readonly results: BatchesResult[];
}

const run = promisify(execFile);

const command = new Command('npm run bench:commits --')
  .description('Measures commits of this repository beside each other.')
  .addArgument(new Argument('<commits...>', 'what git calls a commit; the first is measured twice'))
  .addOption(
    new Option('--contender <name>', 'what is measured of each')
      .choices(Object.keys(contenders).filter((name) => name.startsWith('batchlatch')))
      .default('batchlatch-memory'),
  )
  .option('--size <records>', 'records in a batch', positive, 10)
  .addOption(new Option('--mix <mix>', 'what arrives').choices(MIXES).default('first'))
  .option('--batches <count>', 'batches in a round', positive, 180)
  .option('--rounds <count>', 'rounds of each commit', positive, 41)
  .option('--warm-up-seconds <seconds>', 'how long each works before it is measured', positive, 12)
  .option('--json', 'print the figures as JSON', false)
  .addHelpText(
    'after',
    `
Do nothing else meanwhile, and compare only figures of one run.

Examples:
  npm run bench:commits -- HEAD~1 HEAD
  npm run bench:commits -- v0.1.0 HEAD --contender batchlatch --batches 60
  npm run bench:commits -- HEAD~1 HEAD --contender batchlatch-postgres --mix duplicates --json`,
  )
  .action(main);
await command.parseAsync();

async function main(commits: readonly string[], options: Options): Promise<void> {
  for (const commit of commits) await assertExists(commit);
  const progress = createProgress();
  const folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-commits-'));
  const clear = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true });
    await run('git', ['worktree', 'prune'], { cwd: ROOT });
  };
  const lab = await openLab();
  stopOnSignals(lab, progress, clear);
  try {
    await startServer(lab, options.contender, progress);
    progress.section('build', commits.length);
    const builds = new Map<string, string>();
    for (const commit of new Set(commits)) {
      builds.set(commit, await buildOf(commit, folder, builds.size));
      progress.step(commit);
    }
    const [first = ''] = commits;
    const all = [first, ...commits].map((commit): Measured => {
      const worker = lab.add(new WorkerProcess({ build: builds.get(commit) as string }));
      return { commit, worker, results: [] };
    });
    await measure(all, lab, options, progress);
    progress.end();
    report(all, options);
  } finally {
    await lab.close();
    await clear();
  }
}

async function assertExists(commit: string): Promise<void> {
  const question = ['rev-parse', '--quiet', '--verify', `${commit}^{commit}`];
  await run('git', question, { cwd: ROOT }).catch(() => {
    command.error(`error: this repository has no commit ${commit}`, { exitCode: 2 });
  });
}

/** Starts what the contender keeps its claims in; the emulator of DynamoDB runs already. */
async function startServer(lab: Lab, contender: ContenderName, progress: Progress): Promise<void> {
  const server = serverOf(contender);
  if (server === 'dynamodb-tls') await serveOverTls(lab);
  else if (server === 'postgres' || server === 'redis') await startStoreServers(lab, progress);
}

/** Checks a commit out, with the packages that are installed here, and builds workers with its library. */
async function buildOf(commit: string, checkouts: string, index: number): Promise<string> {
  const root = path.join(checkouts, String(index));
  await run('git', ['worktree', 'add', '--detach', root, commit], { cwd: ROOT });
  await symlink(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'), 'dir');
  const build = path.join(BUILD, 'commits', String(index));
  await buildWorkers(build, root);
  return build;
}

async function measure(
  all: readonly Measured[],
  lab: Lab,
  { contender, size, mix, batches, rounds, warmUpSeconds }: Options,
  progress: Progress,
): Promise<void> {
  const endpoint = lab.endpointOf(contender);
  const places = new Map(
    all.map((one, index) => [one, { contender, endpoint, tableName: `commits_${index}` }]),
  );
  const placeOf = (one: Measured): Place => places.get(one) as Place;
  const workload = { size, handlerMs: 0 };
  progress.section('warm-up', all.length);
  for (const one of all) {
    await keepBusy(one.worker, placeOf(one), warmUpSeconds * 1_000, workload);
    progress.step(one.commit);
  }
  progress.section('rounds', rounds);
  for (let round = 0; round < rounds; round += 1) {
    for (const one of inTurn(all, round)) {
      const job = { ...placeOf(one), workload: { ...workload, mix }, batches, seed: `${nextCell()}:rounds` };
      one.results.push(await one.worker.run('batches', job));
    }
    progress.step();
  }
}

type Place = Pick<BatchesJob, 'contender' | 'endpoint' | 'tableName'>;

function report([first, ...others]: readonly Measured[], { json }: Options): void {
  const cpuOf = ({ results }: Measured): number[] => results.map(cpuPerRecord);
  const wallOf = ({ results }: Measured): number[] => results.map(medianWall);
  const figures = others.map((one, index) => ({
    commit: one.commit,
    isFirstAgain: index === 0,
    cpuMicros: spreadOf(cpuOf(one)),
    wallMs: spreadOf(wallOf(one)),
    timesLessCpu: pairedRatio(cpuOf(first as Measured), cpuOf(one)),
    timesLessWall: pairedRatio(wallOf(first as Measured), wallOf(one)),
  }));
  if (json) {
    process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
    return;
  }
  for (const { commit, isFirstAgain, cpuMicros, wallMs, timesLessCpu, timesLessWall } of figures) {
    const name = isFirstAgain ? `${commit}, another process` : commit;
    process.stdout.write(
      `${name}: ${shown(cpuMicros, 1)} µs of CPU a record, ${shown(timesLessCpu, 3)} times less; ` +
        `${shown(wallMs, 3)} ms a batch, ${shown(timesLessWall, 3)} times less\n`,
    );
  }
}

function shown({ median: middle, low, high }: Spread, digits: number): string {
  return `${middle.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}

function positive(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be an integer from 1 up.');
  return number;
}
