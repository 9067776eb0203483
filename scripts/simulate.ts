// Runs the whole system in virtual time, seed by seed, and checks the invariants after every step. See --help.
import { writeSync } from 'node:fs';
import { Command, Option } from 'commander';
import { positiveInteger } from './command-line/positive-integer.ts';
import { startProgress } from './command-line/start-progress.ts';
import { invariants } from '../lab/simulation/invariants/invariant.ts';
import { runSeed } from '../lab/simulation/run-seed.ts';
import { type Failure, type Summary, Tally } from '../lab/simulation/run-seeds.ts';
import { runSeedsWatched } from '../lab/simulation/run-seeds-watched.ts';
import { type Mode, modes } from '../lab/simulation/scenario.ts';

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly seed?: number;
  readonly mode: Mode | 'all';
  readonly stopAtFirst: boolean;
  readonly json: boolean;
}

const TRACE_TAIL = 30;

const program = new Command()
  .name('lab:simulate')
  .description(
    'Runs the real processor on a simulated queue and a simulated store, in virtual time: messages come twice ' +
      'and out of order, answers get lost, processes die, hang and thaw, clocks differ. What happens is drawn ' +
      'from the seed alone. Exits with 1 when an invariant fails.',
  )
  .option('--seeds <count>', 'how many seeds to run', positiveInteger, 1_000)
  .option('--from <seed>', 'the first of them', positiveInteger, 1)
  .option('--seed <seed>', 'run this one alone and print its trace', positiveInteger)
  .addOption(new Option('--mode <mode>', 'which store to run on').choices([...modes, 'all']).default('all'))
  .option('--stop-at-first', 'stop at the first invariant that fails', false)
  .option('--json', 'print JSON', false)
  .addHelpText(
    'after',
    `
Invariants:
${Object.entries(invariants)
  .map(([name, sentence]) => `  ${name.padEnd(28)} ${sentence}`)
  .join('\n')}

Examples:
  npm run lab:simulate
  npm run lab:simulate -- --seeds 20000 --mode dynamodb
  npm run lab:simulate -- --seed 58 --mode memory`,
  );

const options = program.parse().opts<Options>();
const chosen: readonly Mode[] = options.mode === 'all' ? modes : [options.mode];
await (options.seed === undefined ? simulate() : replay(options.seed));

async function simulate(): Promise<void> {
  const bar = options.json ? undefined : startProgress(options.seeds * chosen.length, 'runs');
  const tally = new Tally();
  const { from, seeds, stopAtFirst: stopsAtFirst } = options;
  await runSeedsWatched({ from, seeds, modes: chosen, stopsAtFirst }, (outcome) => {
    tally.add(outcome);
    bar?.increment();
  });
  bar?.stop();
  const summary = tally.summary();
  if (summary.failures.length > 0) process.exitCode = 1;
  if (options.json) console.log(JSON.stringify(summary, undefined, 2));
  else await show(summary);
}

/** Replays one seed exactly; the trace shows virtual time, who, and what. */
async function replay(seed: number): Promise<void> {
  for (const mode of chosen) {
    const trace: string[] = [];
    const run = await runSeed(seed, mode, (line) => {
      if (options.json) trace.push(line);
      else writeSync(1, `${line}\n`); // at once: code that spins would let no other output through
    });
    if (run.violation !== undefined) process.exitCode = 1;
    if (options.json) console.log(JSON.stringify({ ...run, trace }, undefined, 2));
    else {
      const end =
        run.violation === undefined ? 'every invariant holds' : `FAILED: ${run.violation.invariant}`;
      console.log(`seed ${seed}, ${mode}: ${run.steps} steps, ${end}`);
    }
  }
}

async function show({ runs, steps, virtualMs, durationMs, counts, failures }: Summary): Promise<void> {
  for (const [what, count] of Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b))) {
    if (!what.startsWith('event ')) console.log(`${String(count).padStart(9)} ${what}`);
  }
  console.log(
    `${runs} runs, ${steps} steps, ${(virtualMs / 3_600_000).toFixed(0)} virtual hours in ` +
      `${(durationMs / 1_000).toFixed(1)} s: ${failures.length === 0 ? 'every invariant holds' : `${failures.length} FAILED`}`,
  );
  const [first] = failures;
  if (first !== undefined) await explain(first, failures);
}

async function explain(first: Failure, failures: readonly Failure[]): Promise<void> {
  for (const { seed, mode, violation } of failures.slice(0, 20)) {
    console.error(`seed ${seed}, ${mode}: ${violation.invariant}: ${violation.message}`);
  }
  const { seed, mode, violation } = first;
  if (!Number.isNaN(violation.atMs)) {
    const trace: string[] = [];
    await runSeed(seed, mode, (line) => trace.push(line));
    console.error(`\nThe end of seed ${seed}, ${mode}:\n${trace.slice(-TRACE_TAIL).join('\n')}`);
  }
  console.error(`\nAll of it: npm run lab:simulate -- --seed ${seed} --mode ${mode}`);
  console.error(`To keep it as a test: { seed: ${seed}, mode: '${mode}' } in lab/simulation/regressions.ts`);
}
