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

/** One of each kind; `lab/real/claims.test.ts` has every writing mode with every format, on more DynamoDBs. */
const kinds = [
  { writes: 'batch', hasIndex: false, isPowertools: false },
  { writes: 'batch', hasIndex: true, isPowertools: true },
  { writes: 'single', hasIndex: true, isPowertools: false },
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
      tables.set(kind, await createClaimsTable(client, kind.hasIndex ? { leaseUntil } : undefined));
    }
    await effects.create(client);
  });
  afterAll(async () => {
    client.destroy();
    await service.stop();
  });

  for (const kind of kinds) {
    const { writes, hasIndex, isPowertools } = kind;
    const index = hasIndex ? ', with the index' : '';
    const format = isPowertools ? ", Powertools' attributes" : '';
    describeClaimStore(
      {
        name: `dynamoDBStore, ${writes} writes${index}${format},`,
        admin: itself,
        create: (clock) =>
          inDynamoDB({
            client,
            tableName: tables.get(kind) ?? '',
            writes,
            clock,
            ...(isPowertools && { attributes: powertoolsAttributes }),
            ...(hasIndex && { overdueIndex: { shards: 3 } }),
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
