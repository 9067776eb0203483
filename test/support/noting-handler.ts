/** A module for `batchlatch work`: its handler notes in a file when it begins and ends a message, and in which process. */
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';

const { NOTES_FILE = '', CLAIMS_TABLE_NAME: tableName = '' } = process.env;
const note = (what: string, id: string): void => appendFileSync(NOTES_FILE, `${what} ${id} ${process.pid}\n`);

export const handler = createBatchProcessor<{ readonly id: string; readonly ms: number }>(
  async ({ body: { id, ms } }) => {
    note('start', id);
    await delay(ms);
    note('effect', id);
  },
  {
    store: dynamoDBStore({ tableName }),
    key: ({ body }) => body.id,
    leaseMs: 4_500,
    observer: { onEvent: () => undefined },
  },
);
