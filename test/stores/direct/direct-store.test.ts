import { describe, it } from '@jest/globals';
import { systemClock } from '../../../src/claims/clock.ts';
import { directTransport } from '../../../src/stores/dynamodb/direct/direct-transport.ts';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { describeClaimStore } from 'batchlatch/testing';
import { clientOver } from '../../support/client-over.ts';
import { emulatedTable } from '../../support/emulated-table.ts';

describe.each(['batch', 'single'] as const)('over the direct transport, %s writes', (writes) => {
  const table = emulatedTable('dynoxide');
  let client: ReturnType<typeof clientOver> | undefined;
  describeClaimStore(
    {
      name: 'dynamoDBStore',
      create: (clock) => {
        client ??= clientOver(
          directTransport({
            endpoint: { url: new URL(table.endpoint), region: 'us-east-1' },
            credentials: () => ({ accessKeyId: 'local', secretAccessKey: 'local' }),
            maxAttempts: 4,
            clock: systemClock,
            random: Math.random,
          }),
        );
        return dynamoDBStore({ client, tableName: table.tableName, writes, clock });
      },
    },
    { describe, it },
  );
});
