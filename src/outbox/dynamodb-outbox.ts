import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../base/clock.ts';
import { ConfigurationError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { type EncodedMessage, messageEncoder } from '../messages/encode-message.ts';
import type { LargeBodies } from '../messages/large-bodies.ts';
import type { Messages, MessageTypes, SentAs } from '../messages/messages.ts';
import { withTrace } from '../messages/trace-headers.ts';
import {
  aFunction,
  anObject,
  type Check,
  checkOptionsOf,
  objectWith,
  required,
} from '../options/check-options.ts';
import { COUNTER, counterOf, keyOf, laneOf, newItem, type RowNumbers } from './dynamodb-row.ts';
import { type OutboxTable, outboxTable, type OutboxTableOptions, tableChecks } from './dynamodb-table.ts';
import { prepareBody } from './outbox-body.ts';
import type { OutboxMessage } from './outbox-message.ts';
import { assertTarget, type OutboxTarget } from './outbox-target.ts';

/**
 * Options of `dynamoDBOutbox()`.
 *
 * @typeParam Types The types by name.
 */
export interface DynamoDBOutboxOptions<Types extends MessageTypes> extends OutboxTableOptions {
  /** The types of message, created by `messages()`. */
  readonly messages: Messages<Types>;
  /**
   * Where the relay sends. For a FIFO queue or topic, types without a `group` are then refused at start, and
   * not when they are sent. Default: not checked.
   */
  readonly to?: OutboxTarget;
  /**
   * The storage for bodies of more than 300 KB: `s3Bodies({ bucket })`. A body is stored before the
   * transaction, so a lifecycle rule of the bucket has to delete those that were never committed. Default:
   * such a body is an error.
   */
  readonly large?: LargeBodies;
  /** Returns the trace context that messages carry, at the moment of `message()`. Default: none. */
  readonly trace?: () => {
    /** The `traceparent` header. */
    readonly traceparent?: string;
    /** The `tracestate` header. */
    readonly tracestate?: string;
  };
}

/** The entry of a transaction that writes the row of a message, with plain values. */
export interface OutboxPut {
  /** The row. */
  readonly Put: {
    /** The outbox's table. */
    readonly TableName: string;
    /** The row's attributes. */
    readonly Item: Record<string, unknown>;
  };
}

/** The entry of a transaction that takes the next numbers of a group, with plain values. */
export interface OutboxUpdate {
  /** The counter of the group, on the condition that nobody else has taken the numbers. */
  readonly Update: {
    /** The outbox's table. */
    readonly TableName: string;
    /** The key of the group's counter. */
    readonly Key: Record<string, unknown>;
    /** Takes the numbers. */
    readonly UpdateExpression: string;
    /** Refuses numbers that somebody else has taken. */
    readonly ConditionExpression: string;
    /** The attributes that the expressions name. */
    readonly ExpressionAttributeNames: Record<string, string>;
    /** The numbers in the expressions. */
    readonly ExpressionAttributeValues: Record<string, unknown>;
  };
}

/**
 * Messages that are written in a transaction of DynamoDB, and sent after it. Created by `dynamoDBOutbox()`.
 *
 * @typeParam Types The types by name.
 */
export interface DynamoDBOutbox<Types extends MessageTypes> {
  /**
   * Resolves with the entry that writes a message, for `commit()` or any other transaction. Each call makes a
   * row of its own, so make the entry once for a transaction that is tried again.
   *
   * Rejects with an `InvalidMessageError` for a body that does not fit the schema, with a `KeyError` for one
   * without a key or a group, and with a `ConfigurationError` for one that is too large.
   *
   * @typeParam Type The name of the type.
   * @param type The name of the type.
   * @param body The body as it is sent: the schema's input.
   */
  message<Type extends keyof Types & string>(type: Type, body: SentAs<Types, Type>): Promise<OutboxPut>;
  /**
   * Resolves with the entries that write messages whose groups keep their order: a row for each message, and
   * the counter of each group. It reads the counters, so two transactions at once may take the same numbers:
   * DynamoDB refuses the second one, which has to be made anew (with `commit()`, throw its
   * `CommitRefusedError`, and the record runs again).
   *
   * Rejects as `message()` does, and with a `ConfigurationError` for a type without a `group`.
   *
   * @param messages The messages, in order.
   */
  inOrder(messages: readonly OutboxMessage<Types>[]): Promise<(OutboxPut | OutboxUpdate)[]>;
}

const checks: Readonly<Record<keyof DynamoDBOutboxOptions<MessageTypes>, Check>> = {
  ...tableChecks,
  messages: required({
    expected: 'the result of messages()',
    accepts: (value) => isObject(value) && 'types' in value && isObject(value.types),
  }),
  to: anObject(),
  large: objectWith('put'),
  trace: aFunction(),
};

/** How long a counter is kept after its last number. Numbers follow the clock, so a new one goes on above. */
const COUNTER_MS = 30 * 24 * 3_600_000;

/**
 * Creates an outbox in a DynamoDB table. A message is sent at least once if its transaction commits, and
 * never if it does not; the consumer's claim drops the second copy within its retention. `relay()` and
 * `sweepOutbox()` send the messages.
 *
 * Throws a `ConfigurationError` for invalid options.
 *
 * @typeParam Types The types by name.
 * @param options The table and the types of message.
 *
 * @example
 * const outbox = dynamoDBOutbox({ tableName: 'outbox', messages: orders, to: { queueUrl } });
 *
 * createBatchProcessor<Order>(async ({ body: { orderId } }, context) => {
 *   const order = { Put: { TableName: 'orders', Item: { orderId } } };
 *   await commit(context, [order, outbox.message('OrderPlaced', { orderId, tenantId, total })]);
 * });
 */
export function dynamoDBOutbox<Types extends MessageTypes>(
  options: DynamoDBOutboxOptions<Types>,
): DynamoDBOutbox<Types> {
  checkOptionsOf('dynamoDBOutbox', options, checks);
  const { messages, large, trace, clock = systemClock } = options;
  assertTarget('dynamoDBOutbox', options);
  const table = outboxTable('dynamoDBOutbox', options);
  const encode = messageEncoder(messages);
  const encoded = async (type: string, body: unknown): Promise<NewMessage> => {
    const outboxId = randomUUID();
    const context = trace?.() ?? {};
    const message = withTrace(await encode(type, body, outboxId), context);
    return { outboxId, message: await prepareBody(message, large, clock) };
  };
  return {
    async message(type, body) {
      const { outboxId, message } = await encoded(type, body);
      return putOf(table(), newItem(message, outboxId, clock.now()));
    },
    async inOrder(given) {
      const all = await Promise.all(given.map(({ type, body }) => encoded(type, body)));
      return entriesInOrder(table(), all, clock);
    },
  };
}

interface NewMessage {
  readonly outboxId: string;
  readonly message: EncodedMessage;
}

function putOf({ tableName }: OutboxTable, Item: Record<string, unknown>): OutboxPut {
  return { Put: { TableName: tableName, Item } };
}

async function entriesInOrder(
  table: OutboxTable,
  all: readonly NewMessage[],
  clock: Clock,
): Promise<(OutboxPut | OutboxUpdate)[]> {
  const lanes = new Map<string, NewMessage[]>();
  for (const one of all) {
    const { group, type } = one.message;
    if (group === undefined) {
      throw new ConfigurationError(
        `inOrder: Expected the type ${type} to have a \`group\`, whose order is kept`,
      );
    }
    const lane = laneOf(one.outboxId, group);
    lanes.set(lane, [...(lanes.get(lane) ?? []), one]);
  }
  const entries = await Promise.all(
    [...lanes].map(async ([lane, messages]): Promise<(OutboxPut | OutboxUpdate)[]> => {
      const seen = await lastNumber(table, lane);
      const now = clock.now();
      const first = Math.max((seen ?? 0) + 1, now);
      const rows = messages.map(({ message, outboxId }, index) => {
        const number = first + index;
        const numbers: RowNumbers = { number, after: index === 0 ? seen : number - 1 };
        return putOf(table, newItem(message, outboxId, now, numbers));
      });
      return [takeNumbers(table, lane, { seen, first, last: first + messages.length - 1, now }), ...rows];
    }),
  );
  return entries.flat();
}

async function lastNumber(table: OutboxTable, lane: string): Promise<number | undefined> {
  const Key = keyOf({ lane, position: COUNTER });
  const { Item } = await table.send('GetItem', { TableName: table.tableName, Key, ConsistentRead: true });
  return Item && counterOf(Item)?.last;
}

/** Takes numbers, on the condition that the last one is still the one that was seen. */
function takeNumbers(
  { tableName }: OutboxTable,
  lane: string,
  { seen, first, last, now }: { seen: number | undefined; first: number; last: number; now: number },
): OutboxUpdate {
  return {
    Update: {
      TableName: tableName,
      Key: { lane, position: COUNTER },
      UpdateExpression: 'SET #last = :last, #first = if_not_exists(#first, :first), #expiresAt = :expiresAt',
      ConditionExpression: seen === undefined ? 'attribute_not_exists(#last)' : '#last = :seen',
      ExpressionAttributeNames: { '#last': 'last', '#first': 'first', '#expiresAt': 'expiresAt' },
      ExpressionAttributeValues: {
        ':last': last,
        ':first': first,
        ':expiresAt': Math.ceil((now + COUNTER_MS) / 1_000),
        ...(seen !== undefined && { ':seen': seen }),
      },
    },
  };
}
