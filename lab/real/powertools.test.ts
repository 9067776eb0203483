import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe } from '@jest/globals';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { describeSharedTable } from '../../test/support/powertools-service.ts';
import { startComponent } from './support/start-component.ts';

describeWith([componentNamed('dynamodb-local')], 'beside Powertools on DynamoDB Local', () => {
  let service: LocalService;
  let client: DynamoDBClient;
  let tableName: string;
  beforeAll(async () => {
    service = await startComponent('dynamodb-local');
    client = emulatorClient(service.endpoint);
    tableName = await createClaimsTable(client);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    client.destroy();
    await service.stop();
  });
  const table = {
    get tableName() {
      return tableName;
    },
    newClient: () => client,
  };

  for (const writes of ['batch', 'single'] as const) {
    describe(`with ${writes} writes`, () => {
      describeSharedTable(table, writes);
    });
  }
});
