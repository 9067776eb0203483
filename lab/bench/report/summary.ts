import type { Figures } from '../figures.ts';
import { billsOf } from './money.ts';
import { cpuTable, requestsTable, wallTable } from './tables/comparison.ts';
import { contendersTable, mainTable, memoryStoreTable } from './tables/contenders.ts';
import { tableKeysTable } from './tables/growth.ts';
import { hashesTable } from './tables/hashes.ts';
import { capacityTable, moneyTable } from './tables/money.ts';
import { coldStartTable, lambdaStartTable, memoryTable } from './tables/process.ts';
import { functionsTable, profilesTable } from './tables/profiles.ts';
import { queueWorkerTable } from './tables/queue-worker.ts';
import { routesTable } from './tables/routes.ts';
import { sendersTable } from './tables/senders.ts';
import { sizesTable } from './tables/sizes.ts';
import { storesTable } from './tables/stores.ts';
import { targetsTable } from './tables/targets.ts';
import { targetsOf } from './targets.ts';

/** What a terminal gets: the tables of what was measured, and the targets at the end. */
export function summaryOf(figures: Figures): string {
  const { comparison, overTls, capacity, variants, tableKeys, profiles, memoryStore } = figures;
  const { stores, hashes, coldStart, lambdaStart, sizes, memory } = figures;
  const parts = [
    section(comparison, 'DynamoDB requests per record', () => requestsTable(comparison)),
    section(comparison, 'Client CPU, µs per record', () => cpuTable(comparison)),
    section(comparison, 'Wall time of a batch, p50 / p99 ms', () => wallTable(comparison)),
    section(comparison, 'Beside what people use', () => mainTable(comparison)),
    section(overTls, 'Over TLS', () => contendersTable(overTls)),
    section(capacity, 'Capacity units', () => capacityTable(figures)),
    section(billsOf(figures), 'US dollars per million records', () => moneyTable(figures)),
    section(variants, 'With other settings', () => contendersTable(variants)),
    section(tableKeys, 'Keys in the table', () => tableKeysTable(figures)),
    section(profiles, 'Where the time goes', () => `${profilesTable(figures)}\n\n${functionsTable(figures)}`),
    section(stores.cells, `Stores (${stores.servers.join('; ')})`, () => storesTable(figures)),
    section(stores.profiles, 'Where the time goes on each store', () => profilesTable(stores)),
    section(figures.queueWorker, 'Workers of a queue', () => queueWorkerTable(figures)),
    section(figures.senders, 'Senders of messages', () => sendersTable(figures)),
    section(memoryStore, 'Memory store, no-op handler', () => memoryStoreTable(memoryStore)),
    section(figures.routes, 'Routes', () => routesTable(figures)),
    section(hashes, 'Payload hash', () => hashesTable(figures)),
    section(coldStart, 'Cold start', () => coldStartTable(figures)),
    section(lambdaStart, "In Lambda's runtime client", () => lambdaStartTable(figures)),
    section(sizes, "Sizes of bundles, AWS's SDK left out", () => sizesTable(figures)),
    section(memory, 'Memory', () => memoryTable(figures)),
    section(targetsOf(figures), 'Targets', () => targetsTable(figures)),
    ...targetsOf(figures).map(({ figure, reason }) => (reason === undefined ? '' : `${figure}: ${reason}`)),
  ];
  const kind = figures.isQuick ? 'a quick run: a first impression, not for publication' : 'a full run';
  return [`${figures.durationSeconds} s, ${kind}`, ...parts].filter((part) => part !== '').join('\n\n');
}

function section(figures: readonly unknown[], title: string, body: () => string): string {
  return figures.length === 0 ? '' : `${title}\n\n${body()}`;
}
