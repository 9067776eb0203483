import { randomUUID } from 'node:crypto';
import {
  createOutboxRelay,
  type OutboxAdmin,
  type OutboxRelay,
  type OutboxRelayOptions,
  outboxTableSql,
  postgresOutbox,
  type PostgresOutbox,
  postgresOutboxAdmin,
  type RowSender,
} from 'batchlatch/outbox';
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import type { EncodedMessage } from '../../src/messages/encode-message.ts';
import { message } from '../../src/messages/message.ts';
import { messages } from '../../src/messages/messages.ts';

const order = z.object({ id: z.string(), tenant: z.string() });

/** Messages with a group, and without one. */
export const shop = messages({
  OrderPlaced: message(order, { key: ['id'], group: 'tenant' }),
  MailSent: message(order),
});

/** An outbox of its own, and a target that plays what it is told to. */
export interface OutboxBench {
  readonly table: string;
  readonly outbox: PostgresOutbox<typeof shop.types>;
  readonly admin: OutboxAdmin;
  readonly target: PlayedTarget;
  /** Starts a relay; `stop()` stops all that were started. */
  relay(options?: Partial<OutboxRelayOptions>): Promise<OutboxRelay>;
  stop(): Promise<void>;
  /** Runs a function in a transaction, and commits it. */
  inCommitted<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result>;
  /** Adds orders of one tenant, in one transaction. */
  place(tenant: string, ...ids: readonly string[]): Promise<string[]>;
  /** Ids of the rows in the table, in order. */
  left(): Promise<string[]>;
}

/** How the played target answers for a message. */
export type PlayedAnswer = 'sent' | 'unknown' | 'later' | 'never';

export interface PlayedTarget extends RowSender {
  /** Ids of orders in the order of their arrival, each time they arrive. */
  readonly arrived: string[];
  readonly messages: EncodedMessage[];
  /** Decides how each message is answered. Default: sent. */
  answer: (id: string) => PlayedAnswer | Promise<PlayedAnswer>;
}

export function idOf({ body }: { readonly body: string }): string {
  return (JSON.parse(body) as { readonly id: string }).id;
}

/** Plays a FIFO target: a message that is not sent holds its group within the call. */
export function playedTarget(): PlayedTarget {
  const target: PlayedTarget = {
    arrived: [],
    messages: [],
    answer: () => 'sent',
    async sendEncoded(rows) {
      const sent: (typeof rows)[number][] = [];
      const failed: { message: (typeof rows)[number]; error: Error; isRetryable: boolean }[] = [];
      const unknown: { message: (typeof rows)[number]; error: Error }[] = [];
      const held = new Set<string>();
      for (const row of rows) {
        const id = idOf(row);
        if (row.group !== undefined && held.has(row.group)) {
          failed.push({ message: row, error: new Error('Held by another'), isRetryable: true });
          continue;
        }
        const answer = await target.answer(id);
        if (answer === 'sent' || answer === 'unknown') {
          target.arrived.push(id);
          target.messages.push(row);
        }
        if (answer === 'sent') {
          sent.push(row);
          continue;
        }
        if (row.group !== undefined) held.add(row.group);
        const error = new Error(`Answered ${answer}`);
        if (answer === 'unknown') unknown.push({ message: row, error });
        else failed.push({ message: row, error, isRetryable: answer === 'later' });
      }
      return { sent, failed, unknown };
    },
  };
  return target;
}

export async function outboxBench(pool: Pool): Promise<OutboxBench> {
  const table = `outbox_${randomUUID().slice(0, 8)}`;
  await pool.query(outboxTableSql({ table }));
  const outbox = postgresOutbox({ messages: shop, table });
  const target = playedTarget();
  const relays: OutboxRelay[] = [];
  const bench: OutboxBench = {
    table,
    outbox,
    admin: postgresOutboxAdmin({ pool, table }),
    target,
    async relay(options = {}) {
      const relay = createOutboxRelay({ pool, table, sender: target, log: () => undefined, ...options });
      relays.push(relay);
      await relay.start();
      return relay;
    },
    async stop() {
      await Promise.all(relays.splice(0).map((relay) => relay.stop()));
    },
    async inCommitted(work) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const result = await work(client);
        await client.query('COMMIT');
        return result;
      } finally {
        client.release();
      }
    },
    place: (tenant, ...ids) =>
      bench.inCommitted((client) =>
        outbox.addAll(
          client,
          ids.map((id) => ({ type: 'OrderPlaced', body: { id, tenant } })),
        ),
      ),
    async left() {
      const { rows } = await pool.query(`SELECT body FROM ${table} ORDER BY id`);
      return rows.map((row: { readonly body: string }) => idOf(row));
    },
  };
  return bench;
}
