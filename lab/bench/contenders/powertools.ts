import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { MakeBatchHandler } from './contender.ts';
import { MemoryPersistenceLayer } from './powertools-memory.ts';
import { processor } from './powertools-processor.ts';
import { sharedClient } from './shared-client.ts';

export const powertools: MakeBatchHandler = (setup) => {
  const { endpoint, tableName } = setup;
  return processor(
    setup,
    new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client: sharedClient(endpoint) }),
  );
};

/** With the client that the library makes when it is given none. */
export const powertoolsOwnClient: MakeBatchHandler = (setup) =>
  processor(setup, new DynamoDBPersistenceLayer({ tableName: setup.tableName }));

export const powertoolsMemory: MakeBatchHandler = (setup) => processor(setup, new MemoryPersistenceLayer());
