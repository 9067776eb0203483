/**
 * A program: records whose effects Prisma writes in one transaction with their claims. Its arguments are Prisma's modules, a connection
 * string and the claims table; it prints as JSON what came of the records.
 */
import type { RecordContext } from 'batchlatch';
import { inTransaction } from 'batchlatch/postgres';
import { prismaTransactions } from '../../examples/transactions/prisma.ts';
import { poolOf } from './postgres-table.ts';
import { transactionBench } from './transaction-bench.ts';

/** What the program prints. */
export interface PrismaReport {
  readonly back: readonly string[];
  readonly effects: readonly string[];
  readonly runs: number;
  readonly refusal: string;
  readonly statuses: Readonly<Record<string, unknown>>;
}

interface Tx {
  readonly effect: { create(row: { readonly data: { readonly name: string } }): Promise<unknown> };
  $queryRawUnsafe<Rows>(text: string, ...values: unknown[]): Promise<Rows>;
}

interface Client extends Tx {
  $transaction<Result>(body: (tx: Tx) => Promise<Result>, options?: { timeout?: number }): Promise<Result>;
  $disconnect(): Promise<void>;
}

const [, , clientModule = '', adapterModule = '', endpoint = ''] = process.argv;
const { PrismaClient } = (await import(clientModule)) as {
  readonly PrismaClient: new (options: { readonly adapter: unknown }) => Client;
};
const { PrismaPg } = (await import(adapterModule)) as {
  readonly PrismaPg: new (options: { readonly connectionString: string }) => unknown;
};

const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: endpoint }) });
const adapter = prismaTransactions(prisma);
const pool = poolOf(endpoint);
const b = await transactionBench(pool);
const states = ['40001', '40P01'];
let runs = 0;
let refusal = '';

async function handle(name: string, context: RecordContext): Promise<unknown> {
  const write = (tx: Tx): Promise<unknown> => tx.effect.create({ data: { name } });
  switch (name) {
    case 'late':
      return inTransaction(context, (tx) => write(tx).then(() => b.takeOver(name)), { adapter });
    case 'throws':
      return inTransaction(
        context,
        async (tx) => {
          await write(tx);
          throw new Error('no stock');
        },
        { adapter },
      );
    case 'again':
      return inTransaction(
        context,
        async (tx) => {
          await write(tx);
          runs += 1;
          const state = states[runs - 1];
          if (state !== undefined) {
            await tx.$queryRawUnsafe(`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${state}'; END $$`);
          }
        },
        { adapter },
      );
    case 'refused':
      return inTransaction(
        context,
        async (tx) => {
          await write(tx);
          await write(tx);
        },
        { adapter },
      ).catch((error: unknown) => {
        refusal = String(error);
      });
    default:
      return inTransaction(context, (tx) => write(tx).then(() => ({ name })), { adapter });
  }
}

const ids = ['a', 'late', 'throws', 'again', 'refused'];
const back = await b.run((record, context) => handle((record.body as { id: string }).id, context), ids);
const { rows } = await pool.query<{ name: string }>('SELECT name FROM prisma_effects ORDER BY name');
const statuses: Record<string, unknown> = {};
for (const id of ids) statuses[id] = (await b.claim(id))?.['status'];
const report: PrismaReport = { back, effects: rows.map(({ name }) => name), runs, refusal, statuses };
console.log(JSON.stringify(report));
await prisma.$disconnect();
await pool.end();
