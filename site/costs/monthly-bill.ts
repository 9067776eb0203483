import { type Bill, billOf } from '../../lab/bench/bill.ts';
import type { Library, Measured } from './measured.ts';

/** What a reader of the calculator enters. */
export interface Workload {
  readonly messagesPerMonth: number;
  readonly batchSize: number;
  readonly concurrency: number;
  /** How long a handler waits for others. */
  readonly handlerMs: number;
  readonly memoryMb: number;
  /** Of all messages, from 0 to 1: those that bring work which is done, and those that fail once. */
  readonly duplicates: number;
  readonly failures: number;
}

const MEASURED_BATCH = 10;
const MILLION = 1_000_000;

/**
 * US dollars for a month. A record on first delivery takes two write units; a duplicate a refused write and a read; a failure
 * is read, claimed and settled once more.
 */
export function monthlyBill(
  workload: Workload,
  measured: Readonly<Record<Library, Measured>>,
  library: Library,
): Bill {
  const { batchSize, concurrency, handlerMs, memoryMb, duplicates, failures, messagesPerMonth } = workload;
  const { wallMs, cpuMicros } = measured[library];
  // Powertools runs all of a batch at once.
  const atOnce = library === 'powertools' ? batchSize : Math.min(concurrency, batchSize);
  const ofMillion = billOf({
    size: batchSize,
    writeUnitsPerRecord: 2 * (1 - duplicates) + duplicates + 2 * failures,
    readUnitsPerRecord: duplicates + failures,
    wallMs: Math.ceil(batchSize / atOnce) * handlerMs + (wallMs * batchSize) / MEASURED_BATCH,
    cpuMicros,
    memoryMb,
  });
  const share = messagesPerMonth / MILLION;
  const parts = {
    writes: ofMillion.writes * share,
    reads: ofMillion.reads * share,
    compute: ofMillion.compute * share,
    invocations: ofMillion.invocations * share,
    queue: ofMillion.queue * share,
  };
  return { ...parts, total: Object.values(parts).reduce((sum, usd) => sum + usd, 0) };
}

/** What the static table shows. */
export const EXAMPLES: readonly Workload[] = [1, 10, 100].map((millions) => ({
  messagesPerMonth: millions * MILLION,
  batchSize: 10,
  concurrency: 10,
  handlerMs: 50,
  memoryMb: 512,
  duplicates: 0.01,
  failures: 0.01,
}));

export function examplesTable(measured: Readonly<Record<Library, Measured>>): string {
  const rows = EXAMPLES.flatMap((workload) =>
    (['batchlatch', 'powertools'] as const).map((library) => {
      const { writes, reads, compute, invocations, queue, total } = monthlyBill(workload, measured, library);
      const cells = [writes, reads, compute, invocations, queue].map(dollars);
      return `| ${(workload.messagesPerMonth / MILLION).toLocaleString('en')} million | ${TITLES[library]} | ${cells.join(' | ')} | **${dollars(total)}** |`;
    }),
  );
  return [
    '| messages | | DynamoDB writes | DynamoDB reads | Lambda compute | Lambda requests | SQS | total |',
    '|--:|---|--:|--:|--:|--:|--:|--:|',
    ...rows,
    '',
    'One message in a hundred is a duplicate, and one fails once.',
  ].join('\n');
}

export const TITLES: Readonly<Record<Library, string>> = {
  batchlatch: 'batchlatch',
  powertools: 'Powertools',
};

export function dollars(usd: number): string {
  return `$${usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}
