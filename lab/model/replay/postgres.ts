import { startPostgresEmulator } from '../../local/emulators/postgres-emulator.ts';
import type { Completion } from '../../../src/claims/claim-store.ts';
import type { CommitOutcome } from '../../../src/claims/commit.ts';
import { isAlreadySettled } from '../../../src/claims/transitions.ts';
import { adminOf } from '../../../src/stores/postgres/postgres-admin.ts';
import {
  completeText,
  completionsAsJson,
  TRANSACTION_ID,
} from '../../../src/stores/postgres/complete-text.ts';
import { claimsIn } from '../../../src/stores/postgres/postgres-store.ts';
import { postgres, startPostgres } from '../../../test/support/components/postgres.ts';
import { createPostgresTable, poolOf, tableByClock } from '../../../test/support/postgres-table.ts';
import { systemTimer } from './dynamodb.ts';
import { BEFORE_ALL_MS } from './memory.ts';
import type { StoreAdapter } from './replayed-store.ts';

/** PostgreSQL: this machine's where it has one, else the one that is compiled to WebAssembly. The database's clock decides. */
export async function postgresAdapter(): Promise<StoreAdapter> {
  const service = await (postgres.whyMissing() === undefined ? startPostgres() : startPostgresEmulator());
  const pool = poolOf(service.endpoint);
  const tableName = await createPostgresTable(pool);
  const effects = `${tableName}_effects`;
  await pool.query(`CREATE TABLE ${effects} (owner text PRIMARY KEY)`);
  return {
    takesTolerance: false,
    create() {
      let now = BEFORE_ALL_MS;
      const table = tableByClock(pool, tableName, { now: () => now, setTimer: systemTimer });
      const store = claimsIn(table);

      /** By the statements of `inTransaction`. */
      async function written(completion: Completion): Promise<CommitOutcome> {
        const client = await pool.connect();
        try {
          await client.query('BEGIN');
          await client.query(`INSERT INTO ${effects} VALUES ($1) ON CONFLICT DO NOTHING`, [completion.owner]);
          const { rows: ids } = await client.query<{ id: string }>(TRANSACTION_ID);
          const values = [completionsAsJson([completion]), ids[0]?.id];
          const { rows } = await client.query(completeText(table.table, table.now()), values);
          await client.query(rows.length === 1 ? 'COMMIT' : 'ROLLBACK');
          if (rows.length === 1) return 'stored';
        } finally {
          client.release();
        }
        now = BEFORE_ALL_MS;
        return isAlreadySettled(await store.inspect(completion.key), completion) ? 'stored' : 'lost';
      }

      return {
        store,
        admin: adminOf(table),
        setTime: (ms) => void (now = ms),
        commit: (completion) =>
          store.commit(completion, { kind: 'postgres', content: undefined, write: written }),
        async effectsOf(owners) {
          const { rows } = await pool.query<{ owner: string }>(
            `SELECT owner FROM ${effects} WHERE owner = ANY ($1)`,
            [owners],
          );
          return rows.map(({ owner }) => owner);
        },
        remove: async (key) => void (await pool.query(`DELETE FROM ${tableName} WHERE key = $1`, [key])),
        rowOf: (key) => {
          now = BEFORE_ALL_MS;
          return store.inspect(key);
        },
      };
    },
    async stop() {
      await pool.end();
      await service.stop();
    },
  };
}
