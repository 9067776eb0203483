import { randomUUID } from 'node:crypto';
import { claimsTableSql, postgresAdmin } from 'batchlatch/postgres';
import { Pool } from 'pg';
import type { DisposeStack } from '../../../packages/cli/src/dev/emulators/dispose-stack.ts';
import { startCountingProxy, statementCounter } from '../emulators/counting-proxy.ts';
import { startPostgresProcess } from '../emulators/start-postgres-process.ts';
import { type DemoStore, type DemoStoreSetup, functionOfDemo } from './demo-store.ts';
import { startPaymentProvider } from './payment-provider.ts';
import { claimsOf, unreachable } from './store-in-demo.ts';

/** Claims and charges in a PostgreSQL, a charge and the completion of its claim in one transaction. */
export async function postgresDemo(
  postgresUrl: string | undefined,
  { orders, messages, cleanup, trouble, isOver }: DemoStoreSetup,
): Promise<DemoStore> {
  const emulator = postgresUrl === undefined ? await startPostgresProcess() : undefined;
  if (emulator !== undefined) cleanup.defer(() => emulator.stop());
  const url = emulator?.endpoint ?? postgresUrl ?? '';
  const pool = new Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 5_000 });
  pool.on('error', () => undefined);
  cleanup.defer(() => pool.end());
  const tables = await createTables(pool, emulator === undefined, cleanup).catch((cause: unknown) => {
    throw unreachable('PostgreSQL', '--postgres-url', url, cause);
  });
  const counted = await countedUrl(url, tables.claims, cleanup);
  const provider = await startPaymentProvider(messages, trouble, isOver);
  cleanup.defer(() => provider.stop());
  const { host } = new URL(url);
  return {
    label: 'PostgreSQL',
    // Compiled to WebAssembly, it does one thing at a time, and takes its time on a busy machine.
    slowness: emulator === undefined ? 1 : 2,
    describe: () =>
      Promise.resolve(
        `${emulator === undefined ? '' : `${emulator.name}, `}${host}, a charge and its completion in one transaction`,
      ),
    fn: functionOfDemo(orders.fn, 'orders-on-postgres.ts', {
      DATABASE_URL: counted.url,
      CLAIMS_TABLE: tables.claims,
      CHARGES_TABLE: tables.charges,
      PAYMENTS_URL: provider.endpoint,
    }),
    tables: [],
    ...claimsOf(postgresAdmin({ pool, table: tables.claims })),
    place: `table ${tables.claims}`,
    indexedStates: ['in-progress', 'overdue', 'failed', 'parked'],
    async readChargedOrders() {
      const { rows } = await pool.query<{ order_id: string }>(`SELECT order_id FROM ${tables.charges}`);
      return rows.map(({ order_id: orderId }) => orderId);
    },
    claimRequests: counted.count,
  };
}

/** The log of charges takes every charge: an order charged twice has two rows. */
async function createTables(
  pool: Pool,
  isShared: boolean,
  cleanup: DisposeStack,
): Promise<{ readonly claims: string; readonly charges: string }> {
  const suffix = randomUUID().slice(0, 8);
  const tables = { claims: `orders_claims_${suffix}`, charges: `orders_charges_${suffix}` };
  await pool.query(claimsTableSql({ table: tables.claims }));
  await pool.query(
    `CREATE TABLE ${tables.charges} (charge_id uuid PRIMARY KEY, order_id text NOT NULL, amount_cents bigint NOT NULL, ` +
      'currency text NOT NULL, charged_at timestamptz NOT NULL DEFAULT now())',
  );
  if (isShared) {
    cleanup.defer(async () => void (await pool.query(`DROP TABLE ${tables.claims}, ${tables.charges}`)));
  }
  return tables;
}

/** What is encrypted cannot be counted, and its certificate is not that of a proxy. */
async function countedUrl(
  url: string,
  table: string,
  cleanup: DisposeStack,
): Promise<{ readonly url: string; count(): number | undefined }> {
  const target = new URL(url);
  const isEncrypted = /^(require|verify|prefer)/.test(target.searchParams.get('sslmode') ?? '');
  if (isEncrypted || target.hostname === '') return { url, count: () => undefined };
  const proxy = await startCountingProxy(
    { host: target.hostname.replace(/^\[|\]$/g, ''), port: Number(target.port || 5432) },
    () => statementCounter(table),
  );
  cleanup.defer(() => proxy.stop());
  target.host = proxy.endpoint;
  return { url: target.href, count: () => proxy.count() };
}
