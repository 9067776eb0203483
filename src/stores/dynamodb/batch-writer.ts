import type { BatchStatementError, BatchStatementRequest } from '@aws-sdk/client-dynamodb';
import type { ReadOutcome, WriteOutcome } from '../conditional/row-writer.ts';
import { isInvalidRequest, isPassing, isUnknownOperation, toStoreError } from './failures.ts';
import { type RetrySetup, sendWithRetries, StatementError } from './retry.ts';
import type { Row } from './row.ts';
import { found, type ItemUpdate, type ItemWriter, refused, WRITTEN } from './item-writer.ts';
import type { Transport } from './transport.ts';

export interface WriterSetup extends RetrySetup {
  readonly transport: Transport;
  readonly tableName: string;
  /** Of the primary key, the attribute that tells rows apart. */
  readonly keyName: string;
  /** The primary key of a row. */
  readonly toKey: (key: string) => Row;
}

/** DynamoDB's limits for one request. */
const STATEMENTS_PER_REQUEST = 25;
const KEYS_PER_REQUEST = 100;

/**
 * Writes with `BatchExecuteStatement`: up to 25 independent conditional statements in one request, each
 * atomic by itself, at the same write units as single calls, for one request's worth of SDK work.
 */
export function batchWriter(setup: WriterSetup): ItemWriter {
  const { transport, tableName, keyName, toKey } = setup;

  async function execute(
    statements: readonly BatchStatementRequest[],
    signal: AbortSignal | undefined,
  ): Promise<WriteOutcome<Row>[]> {
    try {
      const { Responses = [] } = await transport.send(
        'BatchExecuteStatement',
        { Statements: [...statements] },
        signal,
      );
      return statements.map((_, index) => {
        const response = Responses[index];
        if (response === undefined) return { status: 'error', error: noAnswer() };
        return response?.Error === undefined
          ? WRITTEN
          : failedWrite(response.Error, response.Item ?? response.Error.Item);
      });
    } catch (thrown) {
      if (isUnknownOperation(thrown)) throw thrown;
      // DynamoDB refuses a whole request for one invalid statement: find it, so that the others succeed.
      if (isInvalidRequest(thrown) && statements.length > 1) return executeOneByOne(statements, signal);
      const error = toStoreError(thrown, tableName);
      return statements.map(() => ({ status: 'error', error }));
    }
  }

  async function executeOneByOne(
    statements: readonly BatchStatementRequest[],
    signal: AbortSignal | undefined,
  ): Promise<WriteOutcome<Row>[]> {
    const outcomes = await Promise.all(statements.map((statement) => execute([statement], signal)));
    return outcomes.flat();
  }

  function failedWrite(error: BatchStatementError, row: Row | undefined): WriteOutcome<Row> {
    const code = error.Code ?? 'Unknown';
    if (code === 'DuplicateItem' || code === 'ConditionalCheckFailed') return refused(row);
    const storeError = toStoreError(error, tableName);
    return {
      status: 'error',
      error: isPassing(code)
        ? new StatementError(storeError.message, { cause: error, isRetryable: true })
        : storeError,
    };
  }

  async function readChunk(
    keys: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<ReadOutcome<Row>[]> {
    try {
      const { Responses, UnprocessedKeys } = await transport.send(
        'BatchGetItem',
        { RequestItems: { [tableName]: { Keys: keys.map(toKey), ConsistentRead: true } } },
        signal,
      );
      // Emulators and AWS answer in any order, and name tables by name also when asked by ARN.
      const rows = new Map(
        Object.values(Responses ?? {})
          .flat()
          .map((row) => [row[keyName]?.S, row]),
      );
      const unprocessed = new Set(
        Object.values(UnprocessedKeys ?? {}).flatMap(({ Keys = [] }) => Keys.map((key) => key[keyName]?.S)),
      );
      return keys.map((key) =>
        unprocessed.has(key) ? { status: 'error', error: unprocessedKey() } : found(rows.get(key)),
      );
    } catch (thrown) {
      if (isUnknownOperation(thrown)) throw thrown;
      if (isInvalidRequest(thrown) && keys.length > 1) {
        return (await Promise.all(keys.map((key) => readChunk([key], signal)))).flat();
      }
      const error = toStoreError(thrown, tableName);
      return keys.map(() => ({ status: 'error', error }));
    }
  }

  return {
    insert: (rows, signal) =>
      inChunks(rows, STATEMENTS_PER_REQUEST, (chunk) =>
        sendWithRetries(
          chunk.map((row) => insertStatement(tableName, row)),
          (statements) => execute(statements, signal),
          setup,
          signal,
        ),
      ),
    update: (updates, signal) =>
      inChunks(updates, STATEMENTS_PER_REQUEST, (chunk) =>
        sendWithRetries(
          chunk.map((update) => updateStatement(tableName, toKey(update.key), update)),
          (statements) => execute(statements, signal),
          setup,
          signal,
        ),
      ),
    read: (keys, signal) =>
      inChunks(keys, KEYS_PER_REQUEST, (chunk) =>
        sendWithRetries(chunk, (some) => readChunk(some, signal), setup, signal),
      ),
  };
}

function insertStatement(tableName: string, row: Row): BatchStatementRequest {
  const names = Object.keys(row);
  return {
    Statement: `INSERT INTO ${quoted(tableName)} VALUE {${names.map((name) => `'${name}': ?`).join(', ')}}`,
    Parameters: Object.values(row),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/**
 * One SET with commas and at most one REMOVE is the form that DynamoDB Local (AWS's own parser), dynoxide
 * and MiniStack all take; see docs/decisions/0003-partiql-batches.md. Further attributes to remove are set
 * to NULL, which reads as absent.
 */
function updateStatement(
  tableName: string,
  key: Row,
  { set, remove, where, whereAtMost = {} }: ItemUpdate,
): BatchStatementRequest {
  const [removed, ...nulled] = remove;
  const assigned: Row = { ...set };
  for (const name of nulled) assigned[name] = { NULL: true };
  const sets = Object.keys(assigned).map((name) => `${quoted(name)} = ?`);
  const conditions = [
    ...[...Object.keys(key), ...Object.keys(where)].map((name) => `${quoted(name)} = ?`),
    ...Object.keys(whereAtMost).map((name) => `${quoted(name)} <= ?`),
  ];
  return {
    Statement:
      `UPDATE ${quoted(tableName)} SET ${sets.join(', ')}` +
      (removed === undefined ? '' : ` REMOVE ${quoted(removed)}`) +
      ` WHERE ${conditions.join(' AND ')}`,
    Parameters: [
      ...Object.values(assigned),
      ...Object.values(key),
      ...Object.values(where),
      ...Object.values(whereAtMost),
    ],
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

function quoted(name: string): string {
  return `"${name}"`;
}

function noAnswer(): StatementError {
  return new StatementError('DynamoDB returned fewer answers than there were statements', {
    isRetryable: true,
  });
}

function unprocessedKey(): StatementError {
  return new StatementError('DynamoDB left a key unprocessed (throttled)', { isRetryable: true });
}

/** Runs the chunks side by side and joins their answers in order; nothing takes no request. */
async function inChunks<Item, Answer>(
  items: readonly Item[],
  size: number,
  run: (chunk: readonly Item[]) => Promise<Answer[]>,
): Promise<Answer[]> {
  if (items.length === 0) return [];
  if (items.length <= size) return run(items);
  const chunks: Promise<Answer[]>[] = [];
  for (let start = 0; start < items.length; start += size) chunks.push(run(items.slice(start, start + size)));
  return (await Promise.all(chunks)).flat();
}
