import { inDynamoDB as storeInDynamoDB } from '../support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import { CreateTableCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from '@jest/globals';
import { claimsTableDefinition, type DynamoDBStoreOptions } from 'batchlatch/dynamodb';
import { powertoolsAttributes } from 'batchlatch/powertools';
import type { ManualClock } from 'batchlatch/testing';
import type { Pool } from 'pg';
import { startPostgresEmulator } from '../../lab/local/emulators/postgres-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { createPostgresTable, poolOf, storeByClock } from '../support/postgres-table.ts';
import { describeKeptRows, type RawStore } from './describe-kept-rows.ts';

// Those of Redis: lab/real/kept-rows.test.ts.

const table = emulatedTable('dynoxide');
let postgres: LocalService;
let pool: Pool;
beforeAll(async () => {
  postgres = await startPostgresEmulator();
  pool = poolOf(postgres.endpoint);
});
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

function inDynamoDB(options: Pick<DynamoDBStoreOptions, 'attributes' | 'writes'>) {
  return async (clock: ManualClock): Promise<RawStore> => {
    const client = table.newClient();
    const TableName = `rows-${randomUUID()}`;
    await client.send(new CreateTableCommand(claimsTableDefinition(TableName).table));
    return {
      store: storeInDynamoDB({ client, tableName: TableName, clock, ...options }),
      async read(key) {
        const get = new GetItemCommand({ TableName, Key: { id: { S: key } }, ConsistentRead: true });
        return (await client.send(get)).Item;
      },
      async put(_key, Item) {
        await client.send(new PutItemCommand({ TableName, Item }));
      },
    };
  };
}

describeKeptRows('dynamodb', inDynamoDB({}));
describeKeptRows('dynamodb-powertools', inDynamoDB({ attributes: powertoolsAttributes }));
describeKeptRows('postgres', async (clock) => {
  const name = await createPostgresTable(pool);
  return {
    store: storeByClock(pool, name, clock),
    async read(key) {
      const { rows } = await pool.query(`SELECT to_jsonb(c) AS row FROM ${name} AS c WHERE key = $1`, [key]);
      return (rows[0] as { readonly row: unknown }).row;
    },
    async put(_key, row) {
      await pool.query(`INSERT INTO ${name} SELECT * FROM jsonb_populate_record(NULL::${name}, $1)`, [
        JSON.stringify(row),
      ]);
    },
  };
});
