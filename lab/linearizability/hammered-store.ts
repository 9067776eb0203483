import { inDynamoDB, inPostgres, inRedis, type StoreAndAdmin } from '../../test/support/store-and-admin.ts';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { systemClock } from '../../src/base/clock.ts';
import { emulatorEnvironment } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { HammerSetup } from './hammer-setup.ts';

/** The store of a process, over a connection of its own. */
export function hammeredStore({ store, clockAheadMs = 0 }: HammerSetup): StoreAndAdmin {
  switch (store.kind) {
    case 'postgres': {
      const pool = new Pool({ connectionString: store.endpoint, max: 1 });
      pool.on('error', () => undefined);
      return inPostgres({ pool, table: store.table });
    }
    case 'redis': {
      const client = new Redis(store.endpoint, {
        maxRetriesPerRequest: 2,
        retryStrategy: (times) => Math.min(times * 5, 50),
      });
      client.on('error', () => undefined);
      return inRedis({ client, prefix: store.prefix });
    }
    case 'dynamodb': {
      Object.assign(process.env, emulatorEnvironment, { AWS_ENDPOINT_URL_DYNAMODB: store.endpoint });
      const clock = { ...systemClock, now: () => Date.now() + clockAheadMs };
      return inDynamoDB({ tableName: store.table, writes: store.writes, clock });
    }
    default:
      throw new Error(`There is no store for ${JSON.stringify(store satisfies never)}`);
  }
}
