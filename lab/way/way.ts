// Counts what one record of a batch costs: calls, files, promises and bytes. See --help.
import { createHook } from 'node:async_hooks';
import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BatchProcessor } from 'batchlatch';
import type * as Core from 'batchlatch/core';
import type * as Memory from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { Command } from 'commander';
import { build } from 'esbuild';

/** The files that are published, because a loader of TypeScript would add calls of its own. */
const built = <Entry>(file: string): Promise<Entry> =>
  import(new URL(`../../dist/esm/${file}`, import.meta.url).href) as Promise<Entry>;

const { createBatchProcessor, sqs } = await built<typeof Core>('core.js');
const { memoryStore } = await built<typeof Memory>('stores/memory/index.js');

const RECORDS = 1_000;
const HELD = 10_000;
/** Rooms of `src` that are tools of people, and no part of what runs records. */
const TOOLS = ['cli', 'console', 'console-demo', 'dev', 'doctor', 'template', 'cdk'];

interface Figures {
  /** Calls of functions of this package, for each of 1,000 records. */
  readonly callsPerRecord: number;
  /** Functions, and files, that each record enters. */
  readonly functions: number;
  readonly files: number;
  readonly promisesPerRecord: number;
}

interface Report {
  readonly standard: Figures;
  readonly fifo: Figures;
  /** Heap for each of 10,000 records whose handlers run, with the memory store. */
  readonly heldBytesPerRecord: number;
  /** Files that are entered between the return of a handler and the answer of its batch of one. */
  readonly settlementFiles: readonly string[];
  /** Files that `import 'batchlatch'` loads at once, by the imports at the top of files. */
  readonly staticModules: number;
  /** Lines of `src` without the tools. */
  readonly lines: number;
}

const program = new Command('lab:way')
  .description(
    'Counts what one record of a batch costs on its way, with the memory store and nothing logged: calls (by V8), ' +
      'files, promises and bytes. The counts are the same on every machine, whatever else runs there.',
  )
  .option('--json', 'print JSON', false)
  .option('--files', 'also print the files that each record, and a settlement, enters', false)
  .addHelpText(
    'after',
    '\nIt measures the build: run `npm run build` first.\n\nExamples:\n  npm run lab:way\n  npm run --silent lab:way -- --json',
  )
  .parse();
const { json, files } = program.opts<{ readonly json: boolean; readonly files: boolean }>();

function processorOf(work: () => Promise<void>, concurrency = 10): BatchProcessor {
  return createBatchProcessor(work, { store: memoryStore(), source: sqs(), namespace: 'way', concurrency });
}

let sent = 0;

function batchOf(count: number, isFifo = false): ReturnType<typeof sqsEvent> {
  return sqsEvent(
    Array.from({ length: count }, () => {
      sent += 1;
      return { messageId: `m${sent}`, body: { a: 1 }, ...(isFifo && { messageGroupId: `g${sent % 100}` }) };
    }),
    { fifo: isFifo },
  );
}

/** The calls of each function of the package while `work` runs, or since it has last called `restart`. */
async function countCalls(
  work: (restart: () => Promise<unknown>) => Promise<unknown>,
): Promise<{ file: string; calls: number }[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const restart = (): Promise<unknown> => session.post('Profiler.takePreciseCoverage');
  await restart();
  await work(restart);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result.flatMap(({ url, functions }) => {
    const file = url.split('/dist/esm/')[1];
    if (file === undefined) return [];
    return functions.map(({ ranges }) => ({ file, calls: ranges[0]?.count ?? 0 }));
  });
}

async function countPromises(work: () => Promise<unknown>): Promise<number> {
  let promises = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises += 1;
    },
  }).enable();
  await work();
  hook.disable();
  return promises;
}

const entered = new Set<string>();

async function figuresOf(isFifo: boolean): Promise<Figures> {
  const processor = processorOf(async () => undefined);
  const run = (count: number): Promise<unknown> => processor(batchOf(count, isFifo), lambdaContext());
  await run(10);
  const called = await countCalls(() => run(RECORDS));
  const ofEach = called.filter(({ calls }) => calls >= RECORDS);
  for (const { file } of ofEach) entered.add(file);
  return {
    callsPerRecord: sum(called.map(({ calls }) => calls)) / RECORDS,
    functions: ofEach.length,
    files: new Set(ofEach.map(({ file }) => file)).size,
    promisesPerRecord: (await countPromises(() => run(RECORDS))) / RECORDS,
  };
}

async function settlementFiles(): Promise<string[]> {
  let atEnd: () => Promise<unknown> = async () => undefined;
  const processor = processorOf(async () => void (await atEnd()));
  await processor(batchOf(1), lambdaContext());
  const called = await countCalls((restart) => {
    atEnd = restart;
    return processor(batchOf(1), lambdaContext());
  });
  return [...new Set(called.filter(({ calls }) => calls > 0).map(({ file }) => file))].toSorted();
}

async function staticModules(): Promise<number> {
  const entry = 'dist/esm/index.js';
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    metafile: true,
    write: false,
  });
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path, kind } of metafile.inputs[file]?.imports ?? [])
      if (kind === 'import-statement' && path in metafile.inputs) visit(path);
  };
  visit(entry);
  return seen.size;
}

async function heldBytes(): Promise<number> {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let running = 0;
  const processor = processorOf(async () => {
    running += 1;
    await held;
  }, HELD);
  const event = batchOf(HELD);
  const before = liveHeap();
  const answer = processor(event, lambdaContext());
  while (running < HELD) await delay(10);
  const bytes = liveHeap() - before;
  release();
  await answer;
  return Math.round(bytes / HELD);
}

function liveHeap(): number {
  if (globalThis.gc === undefined)
    throw new Error('Run it with `npm run lab:way`, which exposes the garbage collector');
  for (let times = 0; times < 3; times += 1) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

function countLines(): number {
  const paths = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !TOOLS.includes(path.split(sep)[0] ?? ''),
  );
  return sum(paths.map((path) => readFileSync(join('src', path), 'utf8').split('\n').length - 1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const report: Report = {
  standard: await figuresOf(false),
  fifo: await figuresOf(true),
  heldBytesPerRecord: await heldBytes(),
  settlementFiles: await settlementFiles(),
  staticModules: await staticModules(),
  lines: countLines(),
};

const lines = json
  ? [JSON.stringify(report, null, 2)]
  : [
      ...Object.entries({ 'standard queue': report.standard, 'FIFO queue': report.fifo }).map(
        ([queue, figures]) =>
          `${queue}: ${figures.callsPerRecord.toFixed(1)} calls, ${figures.functions} functions in ${figures.files} files, ` +
          `${figures.promisesPerRecord.toFixed(2)} promises a record`,
      ),
      `${report.heldBytesPerRecord} bytes of heap a record with ${HELD} handlers running`,
      `${report.settlementFiles.length} files from the end of a handler to the answer of its batch`,
      `${report.staticModules} files that \`import 'batchlatch'\` loads at once`,
      `${report.lines} lines of src, without ${TOOLS.join(', ')}`,
      ...(files ? ['', 'Each record enters:', ...[...entered].toSorted()] : []),
      ...(files ? ['', 'A settlement enters:', ...report.settlementFiles] : []),
    ];
process.stdout.write(`${lines.join('\n')}\n`);
