import type { Figures } from '../figures.ts';
import type { Machine } from '../harness/machine.ts';
import { number } from './format.ts';
import type { PlotFile } from './plots/plot-file.ts';
import { cpuTable, requestsTable, throughputTable, wallTable } from './tables/comparison.ts';
import { contendersTable, memoryStoreTable } from './tables/contenders.ts';
import { growthTable, tableKeysTable } from './tables/growth.ts';
import { hashesTable } from './tables/hashes.ts';
import { coldStartTable, memoryTable } from './tables/process.ts';
import { functionsTable, profilesTable } from './tables/profiles.ts';
import { sizesTable } from './tables/sizes.ts';
import { targetsTable } from './tables/targets.ts';
import { targetsOf } from './targets.ts';

/** The results page: what was measured, how, and on what. Every number in it comes from `figures`. */
export function pageOf(figures: Figures, plots: readonly PlotFile[]): string {
  const plot = (file: string): string => {
    const found = plots.find((one) => one.file === file);
    return found === undefined ? '' : `\n![${found.title}](plots/${file})\n`;
  };
  return `# Benchmark results

batchlatch beside \`@aws-lambda-powertools/batch\` with \`@aws-lambda-powertools/idempotency\`, and beside the floor: the
two unavoidable requests for 25 records, written with \`node:http\` and a signature made by hand, without a library and
without AWS's SDK. This page is written by the run; no number in it is typed.

${machineText(figures.machine)}

\`\`\`sh
npm run bench   # ${number(Math.ceil(figures.durationSeconds / 60))} minutes; writes this page and its plots
\`\`\`

## What was to be reached

${targetsTable(figures)}
${missedText(figures)}
## DynamoDB requests per record

${requestsTable(figures.comparison)}

## Client CPU per record

User and system time of the client's process (\`process.cpuUsage\`), in µs per record: the median of the rounds and their
quartiles. Ratios are taken round by round, because rounds took turns.
${plot('cpu.svg')}
${cpuTable(figures.comparison)}

Records per second that one core can do, which is the same figure the other way round:

${throughputTable(figures.comparison)}

## Wall time of a batch

p50 / p99 in milliseconds over all batches of all rounds. The emulator shares the machine with the client, and its
answers are part of the time. Powertools and the floor start all handlers of a batch at once; batchlatch runs 100.
${plot('wall.svg')}
${wallTable(figures.comparison)}

## With other settings

"Its own client" is what each library makes when it is given none. "One request a write" is the floor of a library that
sends one request for each claim and one for each settlement, as Powertools does.

${contendersTable(figures.variants)}

## How cost grows

${growthTable(figures)}
${plot('keys.svg')}
${tableKeysTable(figures)}

## Memory

Batches of 1,000 in a new process each; the live heap is taken after a full collection every few batches. Growth is the
slope of the line through the samples after the first quarter.
${plot('memory.svg')}
${memoryTable(figures)}

## Cold start

The same function with both libraries, bundled by esbuild and minified, loaded in new processes that took turns. "First
batch" is the first event, with one record, and with all that is still to be loaded and connected.

${coldStartTable(figures)}

${figures.coldStart
  .map(({ library, sdk, packages }) => {
    const sizes = packages.map(({ name, bytes }) => `${name} ${number(bytes / 1_024)} KB`);
    return `- ${library}, SDK ${sdk}: ${sizes.join(', ')}`;
  })
  .join('\n')}

## Sizes

What a function has in its bundle for what it imports: esbuild, minified, ESM, AWS's SDK left out.

${sizesTable(figures)}

## The libraries by themselves

Claims in memory and a handler that does nothing: a \`Map\` behind Powertools' own base class, and batchlatch's memory
store.

${memoryStoreTable(figures.memoryStore)}

The key of a whole payload, per kilobyte of JSON, with how many times the plain hash it is:

${hashesTable(figures)}

## Where the time goes

V8's profiler, in µs per record. It makes everything slower: for shares, not for totals. Garbage collection on other
threads is not in it.
${plot('profile.svg')}
${profilesTable(figures)}

${functionsTable(figures)}

${METHOD}`;
}

function machineText({
  processor,
  cores,
  memoryGigabytes,
  system,
  node,
  commit,
  date,
  packages,
}: Machine): string {
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return `Measured ${date} at commit ${commit}, on ${processor}, ${cores} cores, ${memoryGigabytes} GB, ${system}, Node ${node.slice(1)}; ${versions.join(', ')}.`;
}

function missedText(figures: Figures): string {
  const missed = targetsOf(figures).filter(({ reason }) => reason !== undefined);
  if (missed.length === 0) return '';
  return `\n${missed.map(({ figure, reason }) => `- **${figure}**: ${reason}`).join('\n')}\n`;
}

const METHOD = `## How it was measured

- Each library runs in a process of its own, compiled as it is published (\`tsc\`, not the sources), with
  \`NODE_ENV=production\`. The DynamoDB emulator, dynoxide, is another process, the same for all; every workload gets a new
  table for each library.
- Rounds take turns: A B C, B C A, … All libraries get the same events. Warm-up rounds do not count.
- One client configuration for both libraries: the SDK's defaults with an agent of 100 kept connections and \`noDelay\`.
- Powertools as its documentation shows it: \`BatchProcessor\`, \`makeIdempotent\` around the record handler,
  \`eventKeyJmesPath: 'messageId'\`, all else default. batchlatch with its defaults and \`concurrency: 100\`; its log, which
  is on by default, goes to the null device.
- The handler parses the body (about 300 bytes) and does nothing, or waits 20 ms; failures throw. Duplicates were
  completed before, and come with a receive count of 2. The answer of each batch is checked.
- "×" is Powertools' figure divided by the other's: 6× is a sixth. A median is followed by its quartiles.
- An emulator on the same machine is not AWS: there is no network, and its own time grows with the statements of a request.
  Requests and client CPU carry over; wall times show an order of magnitude.
`;
