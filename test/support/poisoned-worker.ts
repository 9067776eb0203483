/** A program: a worker whose process some messages end. Its time goes faster than the machine's. */
import { openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { createWorker } from 'batchlatch/worker';
import { fastClock } from './fast-clock.ts';

/** The program's only argument, as JSON. */
export interface PoisonedWorkerSetup {
  readonly queueUrl: string;
  readonly tableName: string;
  readonly logFile: string;
  readonly maxInFlight: number;
  /** How many times as fast its time goes. */
  readonly pace: number;
}

export interface PoisonedMessage {
  readonly id: string;
  readonly ms: number;
  readonly isPoison: boolean;
}

process.on('disconnect', () => process.exit());

const setup = JSON.parse(process.argv[2] ?? '') as PoisonedWorkerSetup;
const log = openSync(setup.logFile, 'a');
const clock = fastClock(setup.pace);
const handler = createBatchProcessor<PoisonedMessage>(
  async ({ body: { id, ms, isPoison } }) => {
    if (isPoison) {
      writeSync(log, `death ${id}\n`);
      process.exit(1);
    }
    await delay(ms);
    writeSync(log, `effect ${id}\n`);
  },
  {
    store: dynamoDBStore({ tableName: setup.tableName, clock }),
    key: ({ body }) => body.id,
    namespace: 'poisoned',
    clock,
    observer: { onEvent: () => undefined },
  },
);

await createWorker({
  queueUrl: setup.queueUrl,
  handler,
  maxInFlight: setup.maxInFlight,
  clock,
}).start();
