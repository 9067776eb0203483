// Says how requests, write units and cost grow with messages and workers. See --help.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError, Option } from 'commander';
import { KEYS, type KeyName } from '../lab/bench/scale/keys.ts';
import { measureWorker } from '../lab/bench/scale/measured-worker.ts';
import { study } from '../lab/bench/scale/study.ts';
import { tablesOf } from '../lab/bench/scale/tables.ts';

interface Options {
  readonly messages: number;
  readonly workers: number;
  readonly rate: number;
  readonly handlerMs: number;
  readonly maxInFlight: number;
  readonly duplicates: number;
  readonly failures: number;
  readonly long: number;
  readonly partitions: number;
  readonly key: KeyName;
  readonly sample: number;
  readonly seed: number;
  readonly plots?: string;
  readonly json: boolean;
}

const program = new Command()
  .name('lab:scale')
  .description(
    'Measures what a delivery costs in a worker (the real worker, processor and store, in virtual time, on a queue and a table that ' +
      'count requests and units), and simulates a fleet of such workers second by second, with the real keys spread over the ' +
      'partitions of the table. The same seed gives the same figures.',
  )
  .option('--messages <count>', 'how many messages', atLeastOne, 100_000)
  .option('--workers <count>', 'how many workers', atLeastOne, 1_000)
  .option('--rate <count>', 'messages that arrive in a second for each worker', positive, 10)
  .option('--handler-ms <ms>', 'how long a handler takes on average', atLeastOne, 50)
  .option('--max-in-flight <count>', "the worker's maxInFlight", atLeastOne, 100)
  .option('--duplicates <share>', 'messages that are delivered twice', share, 0.01)
  .option('--failures <share>', 'messages whose handler throws once', share, 0.01)
  .option('--long <share>', 'messages whose handler takes a minute, so that leases are renewed', share, 0.001)
  .option('--partitions <count>', 'of the table, 1,000 write units a second each', atLeastOne, 40)
  .addOption(new Option('--key <key>', 'what keys are made of').choices([...KEYS]).default('message-id'))
  .option('--sample <count>', 'messages of each measured run', atLeastOne, 300)
  .option('--seed <seed>', 'what chance is drawn from', atLeastOne, 1)
  .option('--plots <folder>', 'write scale-messages.svg and scale-workers.svg there')
  .option('--json', 'print JSON', false)
  .addHelpText(
    'after',
    `
Examples:
  npm run lab:scale
  npm run lab:scale -- --messages 10000000 --plots lab/bench/plots
  npm run --silent lab:scale -- --json --workers 100`,
  );

const { rate: ratePerWorker, plots, json, ...options } = program.parse().opts<Options>();
const bar = startProgress();
const { sample, seed, maxInFlight, handlerMs } = options;
const measured = await measureWorker({ messages: sample, seed, maxInFlight, handlerMs });
const found = study({ ...options, ratePerWorker }, measured, (done, total) => {
  bar?.setTotal(total);
  bar?.update(done);
});
bar?.stop();
console.log(json ? JSON.stringify(found, undefined, 2) : tablesOf(found));
if (plots !== undefined) {
  const { picturesOf } = await import('../lab/bench/scale/pictures.ts');
  await mkdir(plots, { recursive: true });
  await Promise.all(picturesOf(found).map(({ file, svg }) => writeFile(path.join(plots, file), `${svg}\n`)));
}

function startProgress(): SingleBar | undefined {
  if (!process.stderr.isTTY) return undefined;
  const progress = new SingleBar({
    format: '{bar} {value}/{total} messages, {eta_formatted} left',
    clearOnComplete: true,
  });
  progress.start(1, 0);
  return progress;
}

function atLeastOne(value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('Expected an integer from 1 up.');
}

function positive(value: string): number {
  const number = Number(value);
  if (Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError('Expected a number above 0.');
}

function share(value: string): number {
  const number = Number(value);
  if (number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError('Expected a number from 0 to 1.');
}
