import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { describeClaimStore } from 'batchlatch/testing';
import { powertoolsAttributes } from 'batchlatch/powertools';
import { startDynamoDBEmulator } from '../../local/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../local/emulators/local-service.ts';
import { createClaimsTable, emulatorClient, LEASE_ATTRIBUTES } from '../support/claims-table.ts';
import { effectCounters } from '../support/effect-counters.ts';

for (const [emulator, writes] of [
  ['dynoxide', 'batch'],
  ['dynoxide', 'single'],
  ['dynalite', 'single'],
] as const) {
  describe(`on ${emulator}`, () => {
    let service: LocalService;
    let client: DynamoDBClient;
    let tableName: string;
    let indexedTable: string;
    let indexedPowertoolsTable: string;
    const effects = effectCounters();
    const withCommit = emulator === 'dynalite' ? {} : { commit: effects }; // dynalite has no transactions
    beforeAll(async () => {
      service = await startDynamoDBEmulator(emulator);
      client = emulatorClient(service.endpoint);
      tableName = await createClaimsTable(client);
      indexedTable = await createClaimsTable(client, { leaseUntil: LEASE_ATTRIBUTES.own });
      indexedPowertoolsTable = await createClaimsTable(client, { leaseUntil: LEASE_ATTRIBUTES.powertools });
      await effects.create(client);
    });
    afterAll(async () => {
      client.destroy();
      await service.stop();
    });

    describeClaimStore(
      {
        name: `dynamoDBStore, ${writes} writes,`,
        create: (clock) => dynamoDBStore({ client, tableName, writes, clock }),
        ...withCommit,
      },
      { describe, it },
    );

    describeClaimStore(
      {
        name: `dynamoDBStore, ${writes} writes, Powertools' attributes,`,
        create: (clock) =>
          dynamoDBStore({ client, tableName, writes, clock, attributes: powertoolsAttributes }),
        ...withCommit,
      },
      { describe, it },
    );

    if (emulator === 'dynalite') return;
    describeClaimStore(
      {
        name: `dynamoDBStore, ${writes} writes, with the index,`,
        create: (clock) =>
          dynamoDBStore({ client, tableName: indexedTable, writes, clock, overdueIndex: true }),
        ...withCommit,
      },
      { describe, it },
    );

    if (writes === 'single') return; // test/real has this in every writing mode
    describeClaimStore(
      {
        name: `dynamoDBStore, ${writes} writes, with the index, Powertools' attributes,`,
        create: (clock) =>
          dynamoDBStore({
            client,
            tableName: indexedPowertoolsTable,
            writes,
            clock,
            attributes: powertoolsAttributes,
            overdueIndex: { shards: 3 },
          }),
        ...withCommit,
      },
      { describe, it },
    );
  });
}
