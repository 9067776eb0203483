import type { TransactionAdapter } from 'batchlatch/postgres';

/** What is used of a generated Prisma client. */
interface PrismaDatabase<Transaction> {
  $transaction<Result>(
    body: (tx: Transaction) => Promise<Result>,
    options?: { readonly maxWait?: number; readonly timeout?: number },
  ): Promise<Result>;
}

/** What is used of it within an interactive transaction. */
interface RawQueries {
  $queryRawUnsafe<Rows>(text: string, ...values: unknown[]): Promise<Rows>;
}

/** Interactive transactions of a Prisma client, for `inTransaction`. Prisma ends them after `timeout` milliseconds. */
export function prismaTransactions<Transaction extends RawQueries>(
  prisma: PrismaDatabase<Transaction>,
  { timeout = 30_000 }: { readonly timeout?: number } = {},
): TransactionAdapter<Transaction> {
  return {
    transaction: (body) => prisma.$transaction(body, { timeout }),
    query: (tx, text, values) => tx.$queryRawUnsafe<unknown[]>(text, ...values),
  };
}
