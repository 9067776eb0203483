import type { Figures } from '../figures.ts';
import type { Machine } from '../harness/machine.ts';
import { number } from './format.ts';
import { METHOD } from './method.ts';
import type { PlotFile } from './plots/plot-file.ts';
import { cpuTable, requestsTable, throughputTable, wallTable } from './tables/comparison.ts';
import { contendersTable, mainTable, memoryStoreTable } from './tables/contenders.ts';
import { guaranteesTable } from './tables/guarantees.ts';
import { growthTable, tableKeysTable } from './tables/growth.ts';
import { hashesTable } from './tables/hashes.ts';
import { capacityTable, moneyTable, moneyText, pricesText } from './tables/money.ts';
import { bundleTitle, coldStartTable, lambdaStartTable, memoryTable } from './tables/process.ts';
import { functionsTable, profilesTable } from './tables/profiles.ts';
import { queueWorkerTable } from './tables/queue-worker.ts';
import { routesTable } from './tables/routes.ts';
import { sendersTable } from './tables/senders.ts';
import { sizesTable } from './tables/sizes.ts';
import { storesTable } from './tables/stores.ts';
import { targetsTable } from './tables/targets.ts';
import { contentsOf } from './reasons.ts';
import { targetsOf } from './targets.ts';

/** The results page: what was measured, how, and on what. Every number in it comes from `figures`. */
export function pageOf(figures: Figures, plots: readonly PlotFile[]): string {
  const plot = (file: string): string => {
    const found = plots.find((one) => one.file === file);
    return found === undefined ? '' : `\n![${found.title}](plots/${file})\n`;
  };
  return `# Benchmark results

batchlatch beside \`@aws-lambda-powertools/batch\` with \`@aws-lambda-powertools/idempotency\`, each with what it reaches
DynamoDB by: batchlatch with its own transport, Powertools with an AWS SDK client that is set up for many small requests.
The floor is the two unavoidable requests for 25 records, written with \`node:http\` and a signature made by hand, without
a library and without AWS's SDK. This page is written by the run; no number in it is typed.

${machineText(figures.machine)}

\`\`\`sh
npm run bench   # ${number(Math.ceil(figures.durationSeconds / 60))} minutes; writes this page and its plots
\`\`\`

## What was to be reached

${targetsTable(figures)}
${missedText(figures)}
## Beside what people use

Powertools and batchlatch keep claims and leases. "By hand" is the loop that people write: \`Promise.allSettled\`, a
\`PutItem\` if there is no row, the handler, an \`UpdateItem\`. middy's \`sqs-partial-batch-failure\` keeps nothing: it is
the cost of a batch without claims. Ratios are to Powertools.

${mainTable(figures.comparison)}

They do not do the same:

${guaranteesTable()}

## Money

US dollars for a million first deliveries, for what comes on top of the handler's own work.

${moneyTable(figures)}

${moneyText(figures)}

${pricesText()}

What DynamoDB charges for a record, counted in the requests by its rules: a unit for each KB that is written, also when
the condition refuses it, and for each 4 KB that is read strongly consistently.

${capacityTable(figures)}

PostgreSQL and Redis are not in these tables: neither has a price for a request. What they cost is the hours of an instance,
and how many of them are needed is in what is sent for a batch and in how long it takes, below.

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

## Over TLS

The emulator speaks plain HTTP, and is the other side of all figures above. DynamoDB speaks TLS: here a proxy puts it in front of
the emulator, which costs the batch time and the client the encryption of what it sends. Ratios are to Powertools.

${contendersTable(figures.overTls)}

## Each store

${storesText(figures, plot)}

## The worker

\`createWorker\` beside \`sqs-consumer\`, each in a process of its own with a full queue of its own on the same SQS emulator,
fauxqs, which is another process. \`sqs-consumer\` has its defaults with batches of ten; beside it, four of them in one process,
as many as a worker has receivers. batchlatch has its defaults, which are 100 messages in handlers at once. A message is about 300
bytes; its handler reads it and waits for the time in the first column. "One in 20 a second": these wait for a second instead.
Ratios are taken round by round. An emulator on the same machine shares its processors: with handlers of 0 ms it is what bounds
messages per second, and CPU is the figure to look at.

${queueWorkerTable(figures)}

## The sender

\`createSender\` beside \`sqs-producer\`, the SQS publisher of message-queue-toolkit and AWS's SDK, each in a process of its own, to one
loopback queue that takes messages and forgets them. All have at most 24 requests under way. A message is about 300 bytes. Throttled entries
are sent again until all are sent: by batchlatch itself and by the SDK with their delays, by the others at once.

${sendersTable(figures)}

## With other settings

"SDK client" is batchlatch with the client that Powertools gets: what is left of the difference to the row above it is
what the transport brings. "Its own client" is the one that Powertools makes when it is given none. "One request a write"
is the floor of a library that sends one request for each claim and one for each settlement, as Powertools does.

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
batch" is the first event, with one record, and with all that is still to be loaded and connected. Where AWS's SDK is left
out, it is loaded from \`node_modules\`, if it is needed. By https, the emulator is behind a TLS proxy on the same machine,
whose certificate is given by \`NODE_EXTRA_CA_CERTS\`: loading \`node:tls\`, the root certificates and the handshake are in it. In the last rows the event comes
some time after the function was loaded, as after INIT, in which batchlatch opens a connection.

${coldStartTable(figures)}

${figures.coldStart
  .filter(({ protocol, packages }) => protocol === 'http' && packages.length > 1)
  .map((one) => `- ${bundleTitle(one)}: ${contentsOf(one)}`)
  .join('\n')}

${lambdaStartText(figures)}

## Sizes

What a function has in its bundle for what it imports: esbuild, minified, ESM, AWS's SDK left out.

${sizesTable(figures)}

## The libraries by themselves

Claims in memory and a handler that does nothing: a \`Map\` behind Powertools' own base class, and batchlatch's memory
store.

${memoryStoreTable(figures.memoryStore)}

What routes cost: the same schema and key, once for all records and once found by the type of each message.

${routesTable(figures)}

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

function storesText(figures: Figures, plot: (file: string) => string): string {
  const { servers, profiles } = figures.stores;
  const missing =
    servers.length === 2
      ? ''
      : '\n\nServers that are not in the list could not be started on this machine (`node --import tsx scripts/components.ts`).';
  return `The same processor on each store: claims in memory, DynamoDB (the emulator), PostgreSQL by \`pg\`, and Redis by
\`@redis/client\` and by \`ioredis\`. Beside them, on the same servers and with the same client and pool, who takes each
record by itself: "by hand" is \`INSERT … ON CONFLICT\` to claim and \`UPDATE\` to complete, in prepared statements, with
\`Promise.allSettled\` over a pool of 10 connections; Powertools has its \`CachePersistenceLayer\`. "Prepared" is
\`postgresStore({ prepare: true })\`, whose statements each connection remembers, as those by hand. A floor is two bare
statements or commands for a batch, with no owners, no leases and nothing else around them. Ratios are to who takes each
record by itself on the same server. "Sent" counts requests to DynamoDB, statements and commands, as they leave
the client.

${servers.map((server) => `- ${server}`).join('\n')}

Both listen on 127.0.0.1 and share the machine with the client, without TLS. They do not do the same: by hand, a claim is
taken over after a minute, but a late owner still completes or deletes the row of the next, and nothing renews the lease of a
handler that takes longer; Powertools' late owner overwrites the row, too.${missing}
${plot('stores-cpu.svg')}${plot('stores-wall.svg')}
${storesTable(figures)}

Where the time goes, under V8's profiler, in µs per record:

${profilesTable({ profiles })}`;
}

function lambdaStartText(figures: Figures): string {
  if (figures.lambdaStart.length === 0) {
    return (
      "In Lambda's runtime client nothing was measured: it is not installed " +
      '(`node --import tsx scripts/components.ts install lambda-runtime`).'
    );
  }
  return `The same bundles, with everything in them, in AWS's runtime client for Node, started by AWS's runtime interface emulator:
from the start of the process to the answer to the first event. Node and the runtime client start in every row; the empty
function shows what is theirs. Functions in AWS have the rows of https. By plain HTTP other parts of Node are loaded: an ES
module that imports \`node:http\` brings all of Node's \`fetch\` along on Node 22 and later.

${lambdaStartTable(figures)}`;
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
