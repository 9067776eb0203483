import { randomUUID } from 'node:crypto';
import { ConfigurationError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { type EncodedMessage, messageEncoder } from '../messages/encode-message.ts';
import type { LargeBodies } from '../messages/large-bodies.ts';
import type { Messages, MessageTypes, SentAs } from '../messages/messages.ts';
import { withTrace } from '../messages/trace-headers.ts';
import { aBoolean, aFunction, anObject, aString, type Check } from '../options/check-options.ts';
import { checkOptionsOf, objectWith, required } from '../options/check-options.ts';
import type { TransactionAdapter, TransactionClient } from '../stores/postgres/transaction-adapter.ts';
import type { OutboxMessage } from './outbox-message.ts';
import { assertTarget, type OutboxTarget } from './outbox-target.ts';
import { assertFits, prepareBody } from './outbox-body.ts';
import { addText } from './postgres-statements.ts';
import { DEFAULT_OUTBOX, outboxNames } from './postgres-table.ts';

/**
 * Options of `postgresOutbox()`.
 *
 * @typeParam Types The types by name.
 * @typeParam Client What stands for the transaction.
 */
export interface PostgresOutboxOptions<Types extends MessageTypes, Client = OutboxClient> {
  /** The types of message. */
  readonly messages: Messages<Types>;
  /**
   * The target of the relay's sender: a queue, a topic or an event bus. For a FIFO target, types without a
   * `group` are refused at start. Default: not checked.
   */
  readonly to?: OutboxTarget;
  /** The table, or `schema.table`. Default: `batchlatch_outbox`. */
  readonly table?: string;
  /** The storage for bodies above 300 KB, which `prepare()` uses. Default: such bodies are refused. */
  readonly large?: LargeBodies;
  /** Returns the trace context that the message carries, at the moment of `add`. Default: none. */
  readonly trace?: () => {
    /** The `traceparent` header. */
    readonly traceparent?: string;
    /** The `tracestate` header. */
    readonly tracestate?: string;
  };
  /**
   * Whether each transaction wakes up the relay (`NOTIFY`). PostgreSQL commits such transactions one after
   * another; without it, the relay finds rows by its poll. Default: true.
   */
  readonly notify?: boolean;
  /** The statements of a query builder or an ORM, as in an adapter of `inTransaction`. Default: `pg`'s. */
  readonly adapter?: Pick<TransactionAdapter<Client>, 'query'>;
}

/** A connection with an open transaction: a `Client` of `pg`, one of its pool, or that of `inTransaction`. */
export type OutboxClient = Pick<TransactionClient, 'query'>;

/** A message that is validated and encoded, with its body in S3 if it is large. `prepare()` creates it. */
export interface PreparedMessage {
  /** The type of the message. */
  readonly type: string;
  /** The outbox id: the attribute `outboxId` of the message. */
  readonly outboxId: string;
}

/**
 * The outbox of a PostgreSQL database. Created by `postgresOutbox()`.
 *
 * @typeParam Types The types by name.
 * @typeParam Client What stands for the transaction.
 */
export interface PostgresOutbox<Types extends MessageTypes, Client = OutboxClient> {
  /**
   * Adds a message to the transaction, with one statement. It is sent at least once if the transaction
   * commits, and never if it does not. Resolves with the outbox id. Rejects, before the statement is sent,
   * with an `InvalidMessageError`, a `KeyError`, or a `ConfigurationError` for a body that is too large.
   *
   * @typeParam Type The type of the message.
   * @param client The connection with the open transaction.
   * @param type The type of the message.
   * @param body The body: the input of the type's schema.
   */
  add<Type extends keyof Types & string>(
    client: Client,
    type: Type,
    body: SentAs<Types, Type>,
  ): Promise<string>;
  /**
   * Adds messages in this order, with one statement. Else as `add`.
   *
   * @param client The connection with the open transaction.
   * @param messages The messages, prepared or not.
   */
  addAll(client: Client, messages: readonly (OutboxMessage<Types> | PreparedMessage)[]): Promise<string[]>;
  /**
   * Validates a message before the transaction begins, and stores a body above 300 KB in `large`. Pass the
   * result to `addAll`. A body whose transaction never commits stays in S3 until a lifecycle rule deletes it.
   *
   * @typeParam Type The type of the message.
   * @param type The type of the message.
   * @param body The body: the input of the type's schema.
   */
  prepare<Type extends keyof Types & string>(type: Type, body: SentAs<Types, Type>): Promise<PreparedMessage>;
}

const checks: Readonly<Record<keyof PostgresOutboxOptions<MessageTypes>, Check>> = {
  messages: required(anObject()),
  to: anObject(),
  table: aString(),
  large: objectWith('put'),
  trace: aFunction(),
  notify: aBoolean(),
  adapter: objectWith('query'),
};

/**
 * Creates the outbox of a PostgreSQL database: messages are rows, written in the transaction of the effect. A
 * message is sent at least once if its transaction commits, and never if it does not; the consumer's claim
 * drops the second copy within its retention. `createOutboxRelay` sends them.
 *
 * @typeParam Types The types by name.
 * @typeParam Client What stands for the transaction.
 * @param options The types of message, and the table.
 * @throws `ConfigurationError` for options that cannot work.
 *
 * @example
 * const outbox = postgresOutbox({ messages: orderMessages });
 * createBatchProcessor<Order>(async ({ body }, context) => {
 *   const placed = { orderId: body.orderId, tenantId, total };
 *   await inTransaction(context, (client) => outbox.add(client, 'OrderPlaced', placed));
 * });
 */
export function postgresOutbox<Types extends MessageTypes, Client = OutboxClient>(
  options: PostgresOutboxOptions<Types, Client>,
): PostgresOutbox<Types, Client> {
  checkOptionsOf('postgresOutbox', options, checks);
  const { messages, table = DEFAULT_OUTBOX, large, trace, notify = true, adapter } = options;
  assertTarget('postgresOutbox', options);
  const encode = messageEncoder(messages);
  const text = addText(outboxNames(table), notify);

  async function encoded(type: string, body: unknown): Promise<Prepared> {
    const outboxId = randomUUID();
    const message = await encode(type, body, outboxId);
    return new Prepared(withTrace(message, trace?.() ?? {}), outboxId);
  }

  async function addAll(
    client: Client,
    all: readonly (OutboxMessage<Types> | PreparedMessage)[],
  ): Promise<string[]> {
    assertNoPool(client);
    const rows = await Promise.all(
      all.map(async (one) =>
        one instanceof Prepared ? one : encoded(one.type, (one as { readonly body?: unknown }).body),
      ),
    );
    if (rows.length === 0) return [];
    for (const { message } of rows) assertFits(message, large !== undefined);
    const json = JSON.stringify(rows.map(({ message, outboxId }) => ({ ...message, outboxId })));
    if (adapter !== undefined) await adapter.query(client, text, [json]);
    else await (client as OutboxClient).query(text, [json]);
    return rows.map(({ outboxId }) => outboxId);
  }

  return {
    async add(client, type, body) {
      const [outboxId] = await addAll(client, [{ type, body } as OutboxMessage<Types>]);
      return outboxId as string;
    },
    addAll,
    async prepare(type, body) {
      const { message, outboxId } = await encoded(type, body);
      return new Prepared(await prepareBody(message, large), outboxId);
    },
  };
}

class Prepared implements PreparedMessage {
  readonly type: string;
  readonly message: EncodedMessage;
  readonly outboxId: string;

  constructor(message: EncodedMessage, outboxId: string) {
    this.type = message.type;
    this.message = message;
    this.outboxId = outboxId;
  }
}

/** A pool commits each statement by itself: the message would be sent although the transaction rolls back. */
function assertNoPool(client: unknown): void {
  if (!isObject(client) || !('totalCount' in client)) return;
  throw new ConfigurationError(
    'Expected a connection with an open transaction, got a pool, which commits the message by itself. ' +
      'Pass the client that the pool has lent, or that of inTransaction',
  );
}
