import type { ClaimStore } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { processor, SILENT } from './batchlatch-processor.ts';
import type { ContenderSetup, MakeBatchHandler } from './contender.ts';
import { sharedClient } from './shared-client.ts';

/** As users get it: with its own transport, and its default JSON lines on standard output. */
export const batchlatch: MakeBatchHandler = (setup) => processor(setup, storeOf(setup));

/** Without a line of log. */
export const batchlatchSilent: MakeBatchHandler = (setup) => processor(setup, storeOf(setup), SILENT);

/** With the SDK client that Powertools gets. */
export const batchlatchSdkClient: MakeBatchHandler = (setup) =>
  processor(setup, dynamoDBStore({ tableName: setup.tableName, client: sharedClient(setup.endpoint) }));

export const batchlatchMemory: MakeBatchHandler = (setup) => processor(setup, memoryStore());

export const batchlatchMemorySilent: MakeBatchHandler = (setup) => processor(setup, memoryStore(), SILENT);

/** The emulator's address and the credentials are in the environment, where Lambda's would be. */
function storeOf({ tableName }: ContenderSetup): ClaimStore {
  return dynamoDBStore({ tableName });
}
