import { inDynamoDB, itself } from '../../test/support/store-and-admin.ts';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeClaimStore } from 'batchlatch/testing';
import { powertoolsAttributes } from 'batchlatch/powertools';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient, LEASE_ATTRIBUTES } from '../../test/support/claims-table.ts';
import { effectCounters } from '../../test/support/effect-counters.ts';
import { rowsOfDynamoDB } from '../../test/support/rows-of-dynamodb.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { storeBy, transports, watchTraffic } from '../../test/support/transports.ts';
import { startComponent } from './support/start-component.ts';

/** Where PartiQL batches cannot be had (dynalite), or are wrong (moto), claims are written one by one. */
const dynamoDBs = [
  ['dynamodb-local', 'batch'],
  ['dynamodb-local', 'single'],
  ['dynoxide', 'batch'],
  ['ministack', 'batch'],
  ['moto', 'single'],
  ['dynalite', 'single'],
] as const;

for (const [name, writes] of dynamoDBs) {
  describeWith([componentNamed(name)], `claims on ${name}`, () => {
    let service: LocalService;
    let plainClient: DynamoDBClient;
    // One for each suite: lists read all that a table holds.
    let tableName: string;
    let powertoolsTable: string;
    let sdkTable: string;
    let indexedTable: string;
    let indexedPowertoolsTable: string;
    const effects = effectCounters();
    // dynalite has no transactions, and moto's are not atomic: two at a time both find the claim in progress.
    const withCommit = name === 'dynalite' || name === 'moto' ? {} : { commit: effects };
    beforeAll(async () => {
      service = await startComponent(name);
      plainClient = emulatorClient(service.endpoint);
      tableName = await createClaimsTable(plainClient);
      powertoolsTable = await createClaimsTable(plainClient);
      sdkTable = await createClaimsTable(plainClient);
      indexedTable = await createClaimsTable(plainClient, { leaseUntil: LEASE_ATTRIBUTES.own });
      indexedPowertoolsTable = await createClaimsTable(plainClient, {
        leaseUntil: LEASE_ATTRIBUTES.powertools,
      });
      await effects.create(plainClient);
    }, INSTALL_TIMEOUT_MS);
    afterAll(async () => {
      plainClient.destroy();
      await service.stop();
    });
    // What the store writes is the same everywhere: its variants run where DynamoDB is most like AWS's. There each way to write
    // meets each kind of attributes and each kind of index once.
    const isMostLikeAws = name === 'dynamodb-local';
    if (!isMostLikeAws || writes === 'batch') {
      describeClaimStore(
        {
          name: `dynamoDBStore, ${writes} writes,`,
          admin: itself,
          create: (clock) => storeBy('direct', service.endpoint, { tableName, writes, clock }),
          rows: rowsOfDynamoDB(() => ({ client: plainClient, tableName })),
          ...withCommit,
        },
        { describe, it },
      );
    }
    // And where `batchlatch dev` runs.
    if ((isMostLikeAws && writes === 'single') || name === 'dynoxide') {
      describeClaimStore(
        {
          name: `dynamoDBStore, ${writes} writes, with the index,`,
          admin: itself,
          create: (clock) =>
            storeBy('direct', service.endpoint, {
              tableName: indexedTable,
              writes,
              clock,
              overdueIndex: true,
            }),
          rows: rowsOfDynamoDB(() => ({ client: plainClient, tableName: indexedTable })),
          ...withCommit,
        },
        { describe, it },
      );
    }
    if (isMostLikeAws && writes === 'single') {
      describeClaimStore(
        {
          name: `dynamoDBStore, ${writes} writes, Powertools' attributes,`,
          admin: itself,
          create: (clock) =>
            inDynamoDB({
              client: plainClient,
              tableName: powertoolsTable,
              writes,
              clock,
              attributes: powertoolsAttributes,
            }),
          rows: rowsOfDynamoDB(() => ({ client: plainClient, tableName: powertoolsTable }), 'state'),
        },
        { describe, it },
      );
    }
    if (isMostLikeAws && writes === 'batch') {
      describeClaimStore(
        {
          name: `dynamoDBStore, ${writes} writes, with the index, Powertools' attributes,`,
          admin: itself,
          create: (clock) =>
            inDynamoDB({
              client: plainClient,
              tableName: indexedPowertoolsTable,
              writes,
              clock,
              attributes: powertoolsAttributes,
              overdueIndex: { shards: 3 },
            }),
        },
        { describe, it },
      );
    }
    if (isMostLikeAws) {
      describeClaimStore(
        {
          name: `dynamoDBStore, ${writes} writes, with the SDK's client as the store makes it,`,
          admin: itself,
          create: (clock) => storeBy('sdk', service.endpoint, { tableName: sdkTable, writes, clock }),
          ...withCommit,
        },
        { describe, it },
      );
    }
    it.each(transports)('without a client, by the %s transport, is what was meant', async (transport) => {
      const traffic = watchTraffic();
      await storeBy(transport, service.endpoint, { tableName, writes }).inspect('of no record');
      traffic.stop();
      expect(traffic.sent[transport]).toBeGreaterThan(0);
    });
  });
}
