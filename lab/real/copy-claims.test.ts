import { closeRedis } from '../../test/support/close-redis.ts';
import { inDynamoDB, inPostgres, inRedis } from '../../test/support/store-and-admin.ts';
import { afterAll, beforeAll } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startPostgresEmulator } from '../local/emulators/postgres-emulator.ts';
import { describeCopies } from '../../test/operations/copied-claims.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { redis, startRedis } from '../../test/support/components/redis.ts';
import { emulatedTable } from '../../test/support/emulated-table.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';

describeWith([redis], 'copyClaims, between all four stores', () => {
  const table = emulatedTable('dynoxide');
  let [server, postgres]: LocalService[] = [];
  let client: Redis;
  let pool: Pool;
  let postgresTable: string;
  beforeAll(async () => {
    [server, postgres] = await Promise.all([startRedis(), startPostgresEmulator()]);
    client = new Redis(server?.endpoint ?? '');
    pool = poolOf(postgres?.endpoint ?? '');
    postgresTable = await createPostgresTable(pool);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await closeRedis(client);
    await pool.end();
    await Promise.all([server?.stop(), postgres?.stop()]);
  });

  describeCopies({
    memory: () => memoryStore(),
    DynamoDB: () => inDynamoDB({ client: table.newClient(), tableName: table.tableName }),
    PostgreSQL: () => inPostgres({ pool, table: postgresTable }),
    Redis: () => inRedis({ client }),
    'Redis in slots': () => inRedis({ client, prefix: 'in-slots:', slots: 4 }),
  });
});
