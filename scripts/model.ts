// Checks the specification of the claim in lab/model/claim.qnt, and the code against it. See --help.
import '../packages/cli/src/dev/emulators/quiet-sdk.ts';
import { Command, Option } from 'commander';
import { positiveInteger } from './command-line/positive-integer.ts';
import { startProgress } from './command-line/start-progress.ts';
import { type Acceptance, acceptSeeds } from '../lab/model/acceptance/accept-seeds.ts';
import { guards } from '../lab/model/guards.ts';
import { judgeGuard, type Verdict } from '../lab/model/judge-guard.ts';
import { type StoreName, storeNames } from '../lab/model/replay/adapters.ts';
import { replayTraces, type TraceReport } from '../lab/model/replay/replay-traces.ts';
import { difference } from '../lab/model/agreement.ts';
import { Quint } from '../lab/model/quint/quint.ts';
import { Sample } from '../lab/model/sample.ts';
import type { State } from '../lab/model/state.ts';
import { walk, type WalkResult } from '../lab/model/walk.ts';
import { longInstances, walkedInstances } from '../lab/model/walked-instances.ts';

const parts = ['typecheck', 'traces', 'walk', 'acceptance', 'mutants'] as const;
type Part = (typeof parts)[number];

interface Options {
  readonly traces: number;
  readonly seeds: number;
  readonly seed: number;
  readonly states: number;
  readonly instances?: number;
  readonly store: StoreName | 'all';
  readonly only?: Part;
  readonly long: boolean;
  readonly json: boolean;
}

/** What is found, part by part; a part that was not asked for is absent. */
interface Report {
  traces?: TraceReport;
  walks?: Record<string, WalkResult & { readonly compared: number }>;
  acceptance?: Acceptance;
  mutants?: Verdict[];
  readonly failures: string[];
  durationMs: number;
}

const options = new Command()
  .name('lab:model')
  .description(
    'Checks the specification of the claim in lab/model/claim.qnt, and the code against it: its types; traces of it, which keep the ' +
      'invariants and which every store is taken through; small instances, whole; the histories of simulated runs; and ' +
      'that each guard is needed, in the specification and in the code. Exits with 1 when anything of it fails.',
  )
  .option('--traces <count>', 'how many traces of the specification', positiveInteger, 400)
  .option('--seeds <count>', 'how many simulated runs', positiveInteger, 400)
  .option('--seed <seed>', 'what traces, states and mutants are drawn from', positiveInteger, 1)
  .option('--states <count>', 'of how many walked states the steps are compared', positiveInteger, 200)
  .option('--instances <count>', 'how many of the instances to walk through (default: all)', positiveInteger)
  .addOption(
    new Option('--store <name>', 'the store that is taken through the traces')
      .choices([...storeNames, 'all'])
      .default('all'),
  )
  .addOption(new Option('--only <part>', 'one part alone').choices([...parts]))
  .option('--long', 'walk through the instances that take minutes, too', false)
  .option('--json', 'print JSON', false)
  .addHelpText(
    'after',
    `
Examples:
  npm run lab:model
  npm run lab:model -- --only traces --store postgres --traces 10000
  npm run lab:model -- --only acceptance --seeds 10000
  npm run lab:model -- --only walk --long`,
  )
  .parse()
  .opts<Options>();

const AT_A_TIME = 2;
const startedAt = performance.now();
const quint = new Quint();
const report: Report = { failures: [], durationMs: 0 };
const work: Readonly<Record<Part, () => Promise<void>>> = {
  typecheck: checkTypes,
  traces: checkTraces,
  walk: checkWalks,
  acceptance: checkAcceptance,
  mutants: checkMutants,
};
try {
  for (const part of parts) if (options.only === undefined || options.only === part) await work[part]();
} finally {
  quint.stop();
}
report.durationMs = Math.round(performance.now() - startedAt);
if (options.json) console.log(JSON.stringify(report, undefined, 2));
else {
  for (const failure of report.failures) console.error(`FAILED: ${failure}`);
  const end = report.failures.length === 0 ? 'everything holds' : `${report.failures.length} FAILED`;
  say(`${(report.durationMs / 1_000).toFixed(1)} s: ${end}`);
}
if (report.failures.length > 0) process.exitCode = 1;

async function checkTypes(): Promise<void> {
  await quint.typecheck();
  say('specification: its types are right');
}

async function checkTraces(): Promise<void> {
  const { traces: count, seed } = options;
  const stores = options.store === 'all' ? storeNames : [options.store];
  const bar = options.json ? undefined : startProgress(count, 'traces');
  const traced = await replayTraces({ count, seed, stores, quint }, (traces) => bar?.increment(traces));
  bar?.stop();
  report.traces = traced;
  report.failures.push(...traced.problems);
  if (traced.never.length > 0) report.failures.push(`no trace takes these steps: ${traced.never.join('; ')}`);
  const replayed = Object.entries(traced.replayed).map(([store, traces]) => `${store} ${traces}`);
  say(`traces: ${traced.traces}, of ${traced.steps} steps; replayed: ${replayed.join(', ')}`);
  for (const [kind, times] of Object.entries(traced.coverage)) say(`${String(times).padStart(9)} ${kind}`);
}

async function checkWalks(): Promise<void> {
  const all = Object.entries({ ...walkedInstances, ...(options.long && longInstances) });
  const instances = all.slice(0, options.instances);
  const bar = options.json ? undefined : startProgress(instances.length, 'instances');
  report.walks = {};
  for (const [name, instance] of instances) {
    const sample = new Sample<State>(options.states, `${options.seed} ${name}`);
    const walked = walk(instance, (state) => sample.offer(state));
    const specified = await quint.stepsFrom(name, sample.items);
    const compared = sample.items.length;
    report.walks[name] = { ...walked, compared };
    bar?.increment();
    const { states, transitions, depth, violation } = walked;
    say(
      `walk, ${name}: ${states} states, ${transitions} transitions, ${depth} steps deep; the steps of ${compared} compared`,
    );
    for (const [index, state] of sample.items.entries()) {
      const unlike = difference(state, specified[index] ?? [], instance);
      if (unlike !== undefined) report.failures.push(`walk, ${name}: ${unlike}`);
    }
    if (violation === undefined) continue;
    const steps = violation.trace.map(({ last }) => JSON.stringify(last));
    report.failures.push(`walk, ${name}: ${violation.invariant} after\n${steps.join('\n')}`);
  }
  bar?.stop();
}

async function checkAcceptance(): Promise<void> {
  const bar = options.json ? undefined : startProgress(options.seeds, 'histories');
  const accepted = await acceptSeeds(options.seeds, options.seed, () => bar?.increment());
  bar?.stop();
  report.acceptance = accepted;
  for (const { seed, event, why } of accepted.refusals) {
    report.failures.push(`the history of seed ${seed} is none of the model's: event ${event}: ${why}`);
  }
  say(`acceptance: ${accepted.histories} histories, of ${accepted.events} requests`);
}

async function checkMutants(): Promise<void> {
  const bar = options.json ? undefined : startProgress(guards.length, 'guards');
  const verdicts: Verdict[] = [];
  report.mutants = verdicts;
  const left = [...guards];
  say(`${'without'.padEnd(26)}${'does not hold'.padEnd(32)}steps`);
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let guard = left.shift(); guard !== undefined; guard = left.shift()) {
        const verdict = await judgeGuard(guard, options.seed, quint);
        verdicts.push(verdict);
        const { guard: name, invariant, steps, problem } = verdict;
        say(`${name.padEnd(26)}${invariant.padEnd(32)}${steps ?? '-'}`);
        if (problem !== undefined) report.failures.push(`without "${name}": ${problem}`);
        bar?.increment();
      }
    }),
  );
  bar?.stop();
}

function say(line: string): void {
  if (!options.json) console.log(line);
}
