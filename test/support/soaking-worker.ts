/** A program: a worker at full speed, which tells its parent how many messages it has deleted, and what it keeps in memory. */
import { createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { createWorker } from 'batchlatch/worker';

/** The program's only argument, as JSON. */
export interface SoakingWorkerSetup {
  readonly queueUrl: string;
  readonly tableName: string;
}

/** What the program tells. */
export interface SoakingWorkerMessage {
  readonly deleted: number;
  /** Where it was asked for: live objects, after a full collection. */
  readonly heapBytes?: number;
  readonly rssBytes?: number;
}

const TELL_EVERY_MS = 50;

process.on('disconnect', () => process.exit());

const { queueUrl, tableName } = JSON.parse(process.argv[2] ?? '') as SoakingWorkerSetup;
const handler = createBatchProcessor(() => undefined, {
  store: dynamoDBStore({ tableName }),
  observer: { onEvent: () => undefined },
});
const worker = createWorker({ queueUrl, handler, waitTimeSeconds: 1 });
await worker.start();

const tell = (message: Omit<SoakingWorkerMessage, 'deleted'> = {}): void => {
  process.send?.({ deleted: worker.counters.deleted, ...message } satisfies SoakingWorkerMessage);
};
setInterval(() => tell(), TELL_EVERY_MS);
process.on('message', () => {
  const { rss: rssBytes } = process.memoryUsage();
  globalThis.gc?.();
  tell({ heapBytes: process.memoryUsage().heapUsed, rssBytes });
});
