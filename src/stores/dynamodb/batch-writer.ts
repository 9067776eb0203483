import type {
  BatchStatementError,
  BatchStatementRequest,
  BatchStatementResponse,
} from '@aws-sdk/client-dynamodb';
import type { StopSignal } from '../../base/stop.ts';
import type { ReadOutcome, WriteOutcome } from '../rows/row-writer.ts';
import { isInvalidRequest, isPassing, isUnknownOperation, toStoreError } from './failures.ts';
import { type RetrySetup, sendWithRetries, StatementError } from './retry.ts';
import type { Row } from './row.ts';
import { found, type ItemWriter, refused, WRITTEN } from './item-writer.ts';
import { statementsOf } from './statements.ts';
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
 * atomic by itself, at the same write units as single calls, for the CPU of one request.
 */
export function batchWriter(setup: WriterSetup): ItemWriter {
  const { transport, tableName, keyName, toKey } = setup;
  const statements = statementsOf(tableName, toKey);

  async function execute(
    some: BatchStatementRequest[],
    signal: StopSignal | undefined,
  ): Promise<WriteOutcome<Row>[]> {
    try {
      const { Responses = [] } = await transport.send('BatchExecuteStatement', { Statements: some }, signal);
      return some.map((_, index) => outcomeOf(Responses[index]));
    } catch (thrown) {
      if (isUnknownOperation(thrown)) throw thrown;
      // DynamoDB refuses a whole request for one invalid statement: find it, so that the others succeed.
      if (isInvalidRequest(thrown) && some.length > 1) return executeOneByOne(some, signal);
      const error = toStoreError(thrown, tableName);
      return some.map(() => ({ status: 'error', error }));
    }
  }

  async function executeOneByOne(
    some: BatchStatementRequest[],
    signal: StopSignal | undefined,
  ): Promise<WriteOutcome<Row>[]> {
    const outcomes = await Promise.all(some.map((statement) => execute([statement], signal)));
    return outcomes.flat();
  }

  function outcomeOf(response: BatchStatementResponse | undefined): WriteOutcome<Row> {
    if (response === undefined) return { status: 'error', error: noAnswer() };
    const { Error: error } = response;
    return error === undefined ? WRITTEN : failedWrite(error, response.Item ?? error.Item);
  }

  function failedWrite(error: BatchStatementError, row: Row | undefined): WriteOutcome<Row> {
    const code = error.Code ?? 'Unknown';
    if (code === 'DuplicateItem' || code === 'ConditionalCheckFailed') return refused(row);
    const storeError = toStoreError(error, tableName);
    // rule: failed-statements
    return {
      status: 'error',
      error: isPassing(code)
        ? new StatementError(storeError.message, { cause: error, isRetryable: true })
        : storeError,
    };
  }

  async function readChunk(keys: string[], signal: StopSignal | undefined): Promise<ReadOutcome<Row>[]> {
    try {
      const { Responses, UnprocessedKeys } = await transport.send(
        'BatchGetItem',
        {
          RequestItems: {
            [tableName]: {
              Keys: keys.map(toKey),
              // rule: dynamodb-consistent-reads
              ConsistentRead: true,
            },
          },
        },
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
          chunk.map((row) => statements.insert(row)),
          (some) => execute(some, signal),
          setup,
          signal,
        ),
      ),
    update: (updates, signal) =>
      inChunks(updates, STATEMENTS_PER_REQUEST, (chunk) =>
        sendWithRetries(
          chunk.map((update) => statements.update(update)),
          (some) => execute(some, signal),
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
  run: (chunk: Item[]) => Promise<Answer[]>,
): Promise<Answer[]> {
  if (items.length === 0) return [];
  if (items.length <= size) return run([...items]);
  const chunks: Promise<Answer[]>[] = [];
  for (let start = 0; start < items.length; start += size) chunks.push(run(items.slice(start, start + size)));
  return (await Promise.all(chunks)).flat();
}
