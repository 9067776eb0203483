import type {
  BatchExecuteStatementOutput,
  BatchGetItemOutput,
  BatchStatementError,
  BatchStatementRequest,
} from '@aws-sdk/client-dynamodb';
import type { StopSignal } from '../../base/stop.ts';
import type { ReadOutcome, WriteOutcome } from '../rows/row-writer.ts';
import { isInvalidRequest, isPassing, isUnknownOperation, toStoreError } from './failures.ts';
import { found, type ItemWriter, refused, WRITTEN, type WriterSetup } from './item-writer.ts';
import { sendWithRetries, StatementError } from './retry.ts';
import type { Row } from './row.ts';
import { statementsOf } from './statements.ts';

/** DynamoDB's limits for one request. */
const STATEMENTS_PER_REQUEST = 25;
const KEYS_PER_REQUEST = 100;
/** In UTF-16 units, which take at most 6 bytes in JSON: a request holds 16 MB. One row may be longer. */
const TEXT_PER_REQUEST = 2_000_000;

/**
 * Writes with `BatchExecuteStatement`: up to 25 independent conditional statements, each atomic by itself.
 * They cost the write units of single calls and the CPU of one request.
 */
export function batchWriter(setup: WriterSetup): ItemWriter {
  const { transport, tableName } = setup;
  const { names, toKey } = setup.format;
  const statements = statementsOf(tableName, toKey);

  async function outcomesOf<Item, Output, Outcome extends WriteOutcome<Row> | ReadOutcome<Row>>(
    items: Item[],
    request: (items: Item[]) => Promise<Output>,
    outcomesIn: (output: Output, items: Item[]) => Outcome[],
  ): Promise<(Outcome | Failure)[]> {
    try {
      return outcomesIn(await request(items), items);
    } catch (thrown) {
      if (isUnknownOperation(thrown)) throw thrown;
      // One invalid item makes DynamoDB refuse the request: resend the items one by one.
      if (isInvalidRequest(thrown) && items.length > 1) {
        const outcomes = await Promise.all(items.map((item) => outcomesOf([item], request, outcomesIn)));
        return outcomes.flat();
      }
      const error = toStoreError(thrown, tableName);
      return items.map(() => ({ status: 'error', error }));
    }
  }

  function write(all: BatchStatementRequest[], signal?: StopSignal): Promise<WriteOutcome<Row>[]> {
    const request = (Statements: BatchStatementRequest[]): Promise<BatchExecuteStatementOutput> =>
      transport.send('BatchExecuteStatement', { Statements }, signal);
    return inChunks(all, endOfStatements, (chunk) =>
      sendWithRetries(chunk, (some) => outcomesOf(some, request, writeOutcomes), setup, signal),
    );
  }

  function writeOutcomes(
    { Responses = [] }: BatchExecuteStatementOutput,
    sent: readonly BatchStatementRequest[],
  ): WriteOutcome<Row>[] {
    return sent.map((_, index) => {
      const response = Responses[index];
      if (response === undefined) return failure('DynamoDB returned fewer answers than statements');
      const { Error: error } = response;
      return error === undefined ? WRITTEN : failedWrite(error, response.Item ?? error.Item);
    });
  }

  function failedWrite(error: BatchStatementError, row: Row | undefined): WriteOutcome<Row> {
    const code = error.Code ?? 'Unknown';
    if (code === 'DuplicateItem' || code === 'ConditionalCheckFailed') return refused(row);
    const storeError = toStoreError(error, tableName);
    // rule: failed-statements
    return isPassing(code) ? failure(storeError.message, error) : { status: 'error', error: storeError };
  }

  function readOutcomes(
    { Responses = {}, UnprocessedKeys = {} }: BatchGetItemOutput,
    keys: readonly string[],
  ): ReadOutcome<Row>[] {
    // Rows come in any order, under the table's name even if the request gave its ARN.
    const answered = Object.values(Responses).flat();
    const rows = new Map(answered.map((row) => [row[names.key]?.S, row]));
    const left = Object.values(UnprocessedKeys).flatMap(({ Keys = [] }) => Keys);
    const unprocessed = new Set(left.map((key) => key[names.key]?.S));
    return keys.map((key) =>
      unprocessed.has(key)
        ? failure('DynamoDB left a key unprocessed (throttled): raise the capacity of the table')
        : found(rows.get(key)),
    );
  }

  return {
    insert(rows, signal) {
      const all = rows.map((row) => statements.insert(row));
      return write(all, signal);
    },
    update(updates, signal) {
      const all = updates.map((update) => statements.update(update));
      return write(all, signal);
    },
    read(keys, signal) {
      const request = (some: readonly string[]): Promise<BatchGetItemOutput> => {
        const table = {
          Keys: some.map(toKey),
          // rule: dynamodb-consistent-reads
          ConsistentRead: true,
        };
        return transport.send('BatchGetItem', { RequestItems: { [tableName]: table } }, signal);
      };
      return inChunks(keys, endOfKeys, (chunk) =>
        sendWithRetries(chunk, (some) => outcomesOf(some, request, readOutcomes), setup, signal),
      );
    },
  };
}

type Failure = Extract<ReadOutcome<Row>, { readonly status: 'error' }>;

/** The outcome of an item that failed in a successful request; it is sent again. */
function failure(message: string, cause?: BatchStatementError): Failure {
  return { status: 'error', error: new StatementError(message, { cause, isRetryable: true }) };
}

function endOfKeys(_keys: readonly string[], start: number): number {
  return start + KEYS_PER_REQUEST;
}

function endOfStatements(all: readonly BatchStatementRequest[], start: number): number {
  const most = Math.min(all.length, start + STATEMENTS_PER_REQUEST);
  let length = 0;
  for (let end = start; end < most; end += 1) {
    for (const parameter of all[end]?.Parameters ?? []) {
      const { S: text, M: map, L: list } = parameter;
      if (text !== undefined) length += text.length;
      // A document may be several times as long as its text: each number of a list is {"N":"1"}.
      else if (map !== undefined || list !== undefined) length += JSON.stringify(parameter).length;
    }
    if (length > TEXT_PER_REQUEST && end > start) return end;
  }
  return most;
}

/** Runs the chunks concurrently and joins their outcomes in order. No items take no request. */
async function inChunks<Item, Outcome>(
  items: readonly Item[],
  endOf: (items: readonly Item[], start: number) => number,
  run: (chunk: Item[]) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const chunks: Promise<Outcome[]>[] = [];
  for (let start = 0, end; start < items.length; start = end) {
    end = endOf(items, start);
    chunks.push(run(items.slice(start, end)));
  }
  return chunks.length === 1 ? (chunks[0] as Promise<Outcome[]>) : (await Promise.all(chunks)).flat();
}
