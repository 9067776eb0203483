import type {
  BatchStatementError,
  BatchStatementRequest,
  QueryOutput,
  UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import { type Clock, systemClock, wait } from '../base/clock.ts';
import { ConfigurationError, StoreError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import type { StopSignal } from '../base/stop.ts';
import { type Check, objectWith } from '../options/check-options.ts';
import { isPassing, toStoreError } from '../stores/dynamodb/failures.ts';
import { WRITTEN } from '../stores/dynamodb/item-writer.ts';
import { backOffMs, MOST_SENDINGS, sendWithRetries, StatementError } from '../stores/dynamodb/retry.ts';
import type { Row } from '../stores/dynamodb/row.ts';
import type { ClientOfDynamoDB } from '../stores/dynamodb/sdk/sdk-transport.ts';
import { sdkTransport } from '../stores/dynamodb/sdk/sdk-transport.ts';
import { transportFromEnvironment } from '../stores/dynamodb/transport-from-environment.ts';
import { boundedTransport, type Operation, type Operations } from '../stores/dynamodb/transport.ts';
import type { WriteOutcome } from '../stores/rows/row-writer.ts';

/** The table of an outbox, and how to reach it. */
export interface OutboxTableOptions {
  /** The table's name or ARN; `outboxTableDefinition()` defines it. Default: `OUTBOX_TABLE_NAME`. */
  readonly tableName?: string;
  /** A client of AWS's SDK, as for `dynamoDBStore`. Default: requests with the environment's settings. */
  readonly client?: ClientOfDynamoDB;
  /** The clock, for tests. Default: the system clock. */
  readonly clock?: Clock;
}

/** The table of an outbox: requests that fail with a `StoreError`. */
export interface OutboxTable {
  readonly tableName: string;
  readonly clock: Clock;
  send<Name extends Operation>(
    operation: Name,
    input: Operations[Name]['input'],
    signal?: StopSignal,
  ): Promise<Operations[Name]['output']>;
}

export const tableChecks: Readonly<Record<keyof OutboxTableOptions, Check>> = {
  tableName: {
    expected: "a DynamoDB table's name or ARN",
    accepts: (value) => typeof value === 'string' && /^[\w.:/-]{3,1024}$/.test(value),
  },
  client: objectWith('send'),
  clock: objectWith('now', 'setTimer'),
};

/**
 * Returns a function that gives the table. In Lambda a missing name fails the start; elsewhere it fails the
 * first call, because a test may set the environment after an import.
 */
export function outboxTable(factory: string, options: OutboxTableOptions): () => OutboxTable {
  const { AWS_LAMBDA_FUNCTION_NAME } = process.env;
  let table: OutboxTable | undefined;
  const made = (): OutboxTable => (table ??= tableOf(nameFor(factory, options), options));
  if (AWS_LAMBDA_FUNCTION_NAME || options.tableName !== undefined) made();
  return made;
}

function nameFor(factory: string, { tableName }: OutboxTableOptions): string {
  const name = tableName ?? process.env['OUTBOX_TABLE_NAME'];
  if (name) return name;
  throw new ConfigurationError(
    `${factory}: Expected \`tableName\`, or OUTBOX_TABLE_NAME in the environment, to name the outbox's table`,
  );
}

function tableOf(tableName: string, { client, clock = systemClock }: OutboxTableOptions): OutboxTable {
  const setup = { clock, random: Math.random };
  const own = client === undefined ? transportFromEnvironment(setup) : sdkTransport(client);
  const transport = boundedTransport(own, clock);
  return {
    tableName,
    clock,
    async send(operation, input, signal) {
      try {
        return await transport.send(operation, input, signal);
      } catch (thrown) {
        throw toStoreError(thrown, tableName);
      }
    },
  };
}

/** The most statements and keys of one request. */
const STATEMENTS = 25;
const KEYS = 100;

/** Reads these attributes of the items of these keys, strongly consistently, in any order. Default: all. */
export async function readItems(
  table: OutboxTable,
  keys: readonly Row[],
  attributes?: readonly string[],
): Promise<Row[]> {
  const { tableName, clock } = table;
  const projection = attributes && {
    ProjectionExpression: attributes.map((name) => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
  };
  const items: Row[] = [];
  let open = [...keys];
  for (let unread = 0; open.length > 0;) {
    const RequestItems = { [tableName]: { Keys: open.slice(0, KEYS), ConsistentRead: true, ...projection } };
    const { Responses = {}, UnprocessedKeys = {} } = await table.send('BatchGetItem', { RequestItems });
    items.push(...Object.values(Responses).flat());
    // An answer ends at 16 MB, and a throttled one earlier: the rest is requested again.
    const left = Object.values(UnprocessedKeys).flatMap(({ Keys = [] }) => Keys);
    unread = left.length < Math.min(open.length, KEYS) ? 0 : unread + 1;
    if (unread === MOST_SENDINGS) {
      throw new StoreError('DynamoDB left all keys unprocessed (throttled)', { isRetryable: true });
    }
    if (unread > 0) await wait(clock, backOffMs(unread, Math.random));
    open = [...left, ...open.slice(KEYS)];
  }
  return items;
}

/** Reads the first items of a partition, or those after `start`, strongly consistently. */
export function readFirst(
  table: OutboxTable,
  lane: string,
  limit: number,
  start: Row | undefined,
): Promise<QueryOutput> {
  return table.send('Query', {
    TableName: table.tableName,
    KeyConditionExpression: '#lane = :lane',
    ExpressionAttributeNames: { '#lane': 'lane' },
    ExpressionAttributeValues: { ':lane': { S: lane } },
    ConsistentRead: true,
    Limit: limit,
    ...(start !== undefined && { ExclusiveStartKey: start }),
  });
}

/** Deletes items, those included that are gone already. Throws if one could not be deleted. */
export async function deleteItems(table: OutboxTable, keys: readonly Row[]): Promise<void> {
  const text = `DELETE FROM "${table.tableName}" WHERE "lane" = ? AND "position" = ?`;
  const statements = keys.map((key): BatchStatementRequest => {
    const { lane, position } = key;
    return {
      Statement: text,
      Parameters: [lane, position] as NonNullable<BatchStatementRequest['Parameters']>,
    };
  });
  const chunks = Array.from({ length: Math.ceil(statements.length / STATEMENTS) }, (_, index) =>
    statements.slice(index * STATEMENTS, (index + 1) * STATEMENTS),
  );
  const remove = async (Statements: BatchStatementRequest[]): Promise<WriteOutcome<Row>[]> => {
    const { Responses = [] } = await table.send('BatchExecuteStatement', { Statements });
    return Statements.map((_, index) => outcomeOf(Responses[index]?.Error, table));
  };
  const setup = { clock: table.clock, random: Math.random };
  const outcomes = await Promise.allSettled(chunks.map((chunk) => sendWithRetries(chunk, remove, setup)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason;
    for (const one of outcome.value) if (one.status === 'error') throw one.error;
  }
}

/** Returns the outcome of a statement. A throttled one is sent again: its row would else be a second copy. */
function outcomeOf(error: BatchStatementError | undefined, { tableName }: OutboxTable): WriteOutcome<Row> {
  if (error === undefined) return WRITTEN;
  const storeError = toStoreError(error, tableName);
  if (!isPassing(error.Code ?? '')) return { status: 'error', error: storeError };
  return {
    status: 'error',
    error: new StatementError(storeError.message, { cause: error, isRetryable: true }),
  };
}

/**
 * Updates an item. Resolves with false if the condition did not hold. A transaction of the same item keeps
 * others out for a moment, and no client tries again by itself.
 */
export async function updateItem(
  { tableName, clock, send }: OutboxTable,
  input: Omit<UpdateItemInput, 'TableName'>,
): Promise<boolean> {
  for (let sending = 1; ; sending += 1) {
    try {
      await send('UpdateItem', { TableName: tableName, ...input });
      return true;
    } catch (error) {
      if (hasCause(error, 'ConditionalCheckFailedException')) return false;
      if (sending === MOST_SENDINGS || !hasCause(error, 'TransactionConflictException')) throw error;
    }
    await wait(clock, backOffMs(sending, Math.random));
  }
}

/** Whether a transaction was not written, because of a condition or of another write. */
export function isCancelled(error: unknown): boolean {
  return hasCause(error, 'TransactionCanceledException');
}

function hasCause(error: unknown, name: string): boolean {
  const cause: unknown = error instanceof StoreError ? error.cause : undefined;
  return isObject(cause) && 'name' in cause && cause.name === name;
}
