import '../../packages/cli/src/dev/emulators/quiet-sdk.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command, Option } from 'commander';
import type { Figures } from './figures.ts';
import { buildWorkers } from './harness/build.ts';
import { openLab } from './harness/lab.ts';
import { describeMachine } from './harness/machine.ts';
import { createProgress } from './harness/progress.ts';
import { stopOnSignals } from './harness/stop-early.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { summaryOf } from './report/summary.ts';
import { writeResults } from './report/write-results.ts';
import { measureSections, SECTIONS, type SectionName } from './sections/index.ts';
import type { KeptProfile } from './sections/profiles.ts';

/** The command line. */
interface Options {
  readonly quick: boolean;
  readonly json: boolean;
  readonly only: readonly SectionName[];
  readonly profiles?: string;
}

await new Command('npm run bench --')
  .description(
    'Measures batchlatch beside Powertools for AWS Lambda, beside what else people use, and beside the bare requests.',
  )
  .option('--quick', 'two minutes, and writes no results page', false)
  .option('--json', 'print all figures as JSON on the last line', false)
  .addOption(
    new Option('--only <sections...>', 'measure only these')
      .choices([...SECTIONS])
      .default([...SECTIONS], 'all'),
  )
  .option('--profiles <folder>', "keep the profiles, for a browser's developer tools")
  .addHelpText(
    'after',
    `
A full run takes about 35 minutes and writes lab/bench/RESULTS.md with its plots, and the measured tables of\ndocs/costs.md. Do nothing else meanwhile.

Examples:
  npm run bench                                     everything; writes lab/bench/RESULTS.md
  npm run bench -- --quick                          a first impression
  npm run bench -- --quick --json | tail -n 1       the figures, for a script
  npm run bench -- --only comparison                one section of the full run; writes no results page
  npm run bench -- --only profiles --profiles out   where the time goes`,
  )
  .action(main)
  .parseAsync();

async function main({ quick, json, only, profiles }: Options): Promise<void> {
  const plan = quick ? quickPlan : fullPlan;
  const progress = createProgress();
  const startedAt = performance.now();
  progress.section('build', 1);
  await buildWorkers();
  progress.step();

  const lab = await openLab();
  stopOnSignals(lab, progress); // nothing of an interrupted run is published
  try {
    const measured = await measureSections(lab, plan, only, progress, (profile) => keep(profile, profiles));
    const figures: Figures = {
      machine: await describeMachine(),
      isQuick: plan.isQuick,
      durationSeconds: Math.round((performance.now() - startedAt) / 1_000),
      ...measured,
    };
    progress.end();
    process.stdout.write(`${summaryOf(figures)}\n`);
    if (!quick && only.length === SECTIONS.length) {
      await writeResults(figures);
      process.stderr.write(
        'The calculator of costs has figures of this run too: UPDATE_DOCS=1 npm test -- test/site\n',
      );
    }
    if (json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  } finally {
    await lab.close();
  }
}

async function keep({ name, contents }: KeptProfile, folder: string | undefined): Promise<void> {
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${name}.cpuprofile`), contents);
}
