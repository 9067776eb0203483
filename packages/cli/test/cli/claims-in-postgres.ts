import { inPostgres } from '../../../../test/support/store-and-admin.ts';
import type { MemoryStore } from 'batchlatch/memory';
import { afterAll, beforeAll } from '@jest/globals';
import type { Pool } from 'pg';
import type { LocalService } from '../../src/dev/emulators/local-service.ts';
import { startPostgresEmulator } from '../../../../lab/local/emulators/postgres-emulator.ts';
import { claimRequest, settlementOf } from '../../../../test/support/claim-builders.ts';
import { createPostgresTable, poolOf } from '../../../../test/support/postgres-table.ts';
import { type Ended, runCommand, type Terminal } from './run-command.ts';

/** A table of claims in the PostgreSQL emulator. */
export interface ClaimsInPostgres {
  readonly url: string;
  readonly pool: Pool;
  readonly table: string;
  readonly store: MemoryStore;
  /** A claim that is parked. */
  park(key: string): Promise<void>;
  /** A command, in an environment where DATABASE_URL names the server. */
  run(args: readonly string[], how?: Terminal): Promise<Ended>;
}

export function claimsInPostgres(): ClaimsInPostgres {
  let service: LocalService;
  let pool: Pool;
  let table: string;
  let store: MemoryStore;
  beforeAll(async () => {
    service = await startPostgresEmulator();
    pool = poolOf(service.endpoint);
    table = await createPostgresTable(pool);
    store = inPostgres({ pool, table });
  });
  afterAll(async () => {
    await pool.end();
    await service.stop();
  });
  return {
    get url() {
      return service.endpoint;
    },
    get pool() {
      return pool;
    },
    get table() {
      return table;
    },
    get store() {
      return store;
    },
    async park(key) {
      const request = claimRequest(key);
      await store.acquire([request]);
      await store.settle([settlementOf('park', request)]);
    },
    run: (args, how) => runCommand(args, { env: { DATABASE_URL: service.endpoint }, ...how }),
  };
}
