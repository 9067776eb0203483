import { itself, inDynamoDB } from '../support/store-and-admin.ts';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { describeClaimStore } from 'batchlatch/testing';
import { powertoolsAttributes } from 'batchlatch/powertools';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient, LEASE_ATTRIBUTES } from '../support/claims-table.ts';
import { effectCounters } from '../support/effect-counters.ts';
import { rowsOfDynamoDB } from '../support/rows-of-dynamodb.ts';

/**
 * Tables with an index; `document-client.test.ts` and `dynamodb-default-client.test.ts` have none. Every writing mode with every
 * format is in `lab/real/claims.test.ts`, on more DynamoDBs.
 */
const kinds = [
  { writes: 'batch', isPowertools: true },
  { writes: 'single', isPowertools: false },
] as const;

describe('on dynoxide', () => {
  let service: LocalService;
  let client: DynamoDBClient;
  const tables = new Map<object, string>();
  const effects = effectCounters();
  beforeAll(async () => {
    service = await startDynamoDBEmulator('dynoxide');
    client = emulatorClient(service.endpoint);
    for (const kind of kinds) {
      const leaseUntil = LEASE_ATTRIBUTES[kind.isPowertools ? 'powertools' : 'own'];
      tables.set(kind, await createClaimsTable(client, { leaseUntil }));
    }
    await effects.create(client);
  });
  afterAll(async () => {
    client.destroy();
    await service.stop();
  });

  for (const kind of kinds) {
    const { writes, isPowertools } = kind;
    const format = isPowertools ? ", Powertools' attributes" : '';
    describeClaimStore(
      {
        name: `dynamoDBStore, ${writes} writes, with the index${format},`,
        admin: itself,
        create: (clock) =>
          inDynamoDB({
            client,
            tableName: tables.get(kind) ?? '',
            writes,
            clock,
            ...(isPowertools && { attributes: powertoolsAttributes }),
            overdueIndex: { shards: 3 },
          }),
        commit: effects,
        rows: rowsOfDynamoDB(
          () => ({ client, tableName: tables.get(kind) ?? '' }),
          isPowertools ? 'state' : 'status',
        ),
      },
      { describe, it },
    );
  }
});
