import { randomUUID } from 'node:crypto';
import {
  type BatchEvent,
  type BatchHandler,
  type BatchResponse,
  type ClaimStore,
  type BatchProcessorOptions,
  createBatchProcessor,
  payloadHash,
  type RecordHandler,
} from 'batchlatch';
import { postgresStore } from 'batchlatch/postgres';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import type { Pool } from 'pg';
import { createPostgresTable } from './postgres-table.ts';

/** A processor whose claims are in PostgreSQL, and a table beside them into which its handlers write. */
export interface TransactionBench {
  readonly pool: Pool;
  readonly store: ClaimStore;
  /** The claims table. */
  readonly claims: string;
  /** The table of effects: `id`, which may be there more than once, and `note`. */
  readonly effects: string;
  readonly events: BatchEvent[];
  /** Delivers a message for each id, and gives the ids that come again. */
  run(handler: RecordHandler, ids: readonly string[], options?: BatchProcessorOptions): Promise<string[]>;
  /** The same for a handler of many records, in an invocation that may have little time. */
  runMany(handler: BatchHandler, ids: readonly string[], options?: ManyOptions): Promise<string[]>;
  /** The rows of the claims, by id. */
  claim(id: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Has another owner take over a claim. */
  takeOver(id: string): Promise<void>;
  /** The effects of an id, and of all. */
  effectsOf(id: string): Promise<number>;
  allEffects(): Promise<string[]>;
  typesOf(id: string): string[];
}

type ManyOptions = BatchProcessorOptions & { readonly remainingTimeMs?: number };

export async function transactionBench(
  pool: Pool,
  open: (pool: Pool, table: string) => ClaimStore = (own, table) => postgresStore({ pool: own, table }),
): Promise<TransactionBench> {
  const claims = await createPostgresTable(pool);
  const effects = `effects_${randomUUID().slice(0, 8)}`;
  await pool.query(`CREATE TABLE ${effects} (id text, note text)`);
  const store = open(pool, claims);
  const events: BatchEvent[] = [];
  const optionsOf = (options: BatchProcessorOptions): BatchProcessorOptions => ({
    store,
    namespace: 'n',
    key: payloadHash({ include: ['id'] }),
    observer: { onEvent: (event: BatchEvent) => void events.push(event) },
    ...options,
  });
  const deliver = async (
    process: (
      event: ReturnType<typeof sqsEvent>,
      context?: ReturnType<typeof lambdaContext>,
    ) => Promise<BatchResponse>,
    ids: readonly string[],
    remainingTimeMs?: number,
  ): Promise<string[]> => {
    const messages = ids.map((id) => ({ messageId: id, body: { id } }));
    const context = remainingTimeMs === undefined ? undefined : lambdaContext({ remainingTimeMs });
    const { batchItemFailures } = await process(sqsEvent(messages), context);
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  return {
    pool,
    store,
    claims,
    effects,
    events,
    run: (handler, ids, options = {}) => deliver(createBatchProcessor(handler, optionsOf(options)), ids),
    runMany: (handler, ids, { remainingTimeMs, ...options } = {}) =>
      deliver(createBatchProcessor.forBatches(handler, optionsOf(options)), ids, remainingTimeMs),
    async claim(id) {
      const { rows } = await pool.query(`SELECT * FROM ${claims} WHERE record_id = $1`, [id]);
      return rows[0] as Record<string, unknown> | undefined;
    },
    async takeOver(id) {
      await pool.query(`UPDATE ${claims} SET owner = 'another', attempt = attempt + 1 WHERE record_id = $1`, [
        id,
      ]);
    },
    async effectsOf(id) {
      const { rows } = await pool.query(`SELECT count(*)::int AS n FROM ${effects} WHERE id = $1`, [id]);
      return (rows[0] as { n: number }).n;
    },
    async allEffects() {
      const { rows } = await pool.query(`SELECT id FROM ${effects} ORDER BY id`);
      return (rows as { id: string }[]).map(({ id }) => id);
    },
    typesOf: (id) =>
      events.flatMap((event) => ('recordId' in event && event.recordId === id ? [event.type] : [])),
  };
}
