import { type Clock, systemClock } from '../base/clock.ts';
import { stopBefore } from '../base/stop-before.ts';
import { awaitedWrite } from '../observe/json-lines.ts';
import { aFunction, checkOptionsOf } from '../options/check-options.ts';
import type { BatchResponse, HandedBack } from '../sources/answers.ts';
import { dynamoDBStream } from '../sources/dynamodb-stream.ts';
import { readFrom } from '../sources/read-from.ts';
import type { SourceEntry } from '../sources/source.ts';
import { assertSender } from './assert-sender.ts';
import { COUNTER } from './dynamodb-row.ts';
import { type Sending, sendLanes } from './dynamodb-send.ts';
import { outboxTable, type OutboxTableOptions, tableChecks } from './dynamodb-table.ts';
import type { RowSender } from './row-sender.ts';

/** Options of `relay()`. */
export interface RelayOptions extends OutboxTableOptions {
  /**
   * Writes a log line, given without its line feed. Default: to standard output.
   *
   * @param line JSON text.
   */
  readonly write?: (line: string) => unknown;
}

/** The context of an invocation, as far as relays read it. */
export interface RelayContext {
  /** Returns the remaining time of the invocation, in milliseconds. */
  readonly getRemainingTimeInMillis?: () => number;
}

/**
 * A Lambda handler for the stream of an outbox's table.
 *
 * @param event The batch of the stream.
 * @param context The context from Lambda, which tells the remaining time.
 */
export type OutboxStreamHandler = (event: unknown, context?: RelayContext) => Promise<BatchResponse>;

/**
 * Creates the Lambda handler that sends the messages of a DynamoDB outbox as soon as their transactions
 * commit. It reads the table's stream, and needs no claims: a row that is gone was sent. Each row is sent at
 * least once, and deleted. A row that the target refuses for good is parked, and holds the later rows of its
 * group until a person releases or drops it.
 *
 * A stream keeps its records for a day and may discard a batch, so deploy `sweepOutbox()` as well. Both may
 * send a copy of a message, with the same outbox id.
 *
 * Records that are not sent yet are in the `ReportBatchItemFailures` response. The invocation fails if the
 * table cannot be read or written. Throws a `ConfigurationError` for invalid options.
 *
 * @param sender The sender, created by `createSender()`.
 * @param options The outbox's table.
 *
 * @example
 * export const handler = relay(createSender(orders, { queueUrl }));
 */
export function relay(sender: RowSender, options: RelayOptions = {}): OutboxStreamHandler {
  assertSender('relay', sender);
  checkOptionsOf('relay', options, { ...tableChecks, write: aFunction() });
  const table = outboxTable('relay', options);
  const { clock = systemClock } = options;
  const write = awaitedWrite(options.write);
  const source = dynamoDBStream();
  return async (event, context) => {
    const { entries, answer, ready } = readFrom(source, event);
    await ready;
    const { left } = await withTime(context, clock, (stop) =>
      sendLanes(entries.flatMap(laneOfInsert), { table: table(), sender, stop, write }),
    );
    return answer(handedBack(entries, left)) as BatchResponse;
  };
}

/** Runs work with a signal that is aborted shortly before the invocation ends. */
export async function withTime<Result>(
  context: RelayContext | undefined,
  clock: Clock,
  work: (stop: Sending['stop']) => Promise<Result>,
): Promise<Result> {
  const { stop, cancel } = stopBefore(context, clock);
  try {
    return await work(stop);
  } finally {
    cancel();
  }
}

/** Returns the lane of a new row; nothing for another change, which a filter usually keeps away. */
function laneOfInsert({ read }: SourceEntry): string[] {
  if (!('record' in read) || read.record.source !== 'dynamodb-stream') return [];
  const { eventName, keys } = read.record;
  const { lane, position } = keys;
  return eventName === 'INSERT' && position !== COUNTER && typeof lane === 'string' ? [lane] : [];
}

function handedBack(entries: readonly SourceEntry[], left: ReadonlyMap<string, Error>): HandedBack[] {
  const all: HandedBack[] = [];
  let nearestIdentifier: string | undefined;
  for (const entry of entries) {
    const { itemIdentifier, read } = entry;
    nearestIdentifier = itemIdentifier ?? nearestIdentifier;
    const [lane = ''] = laneOfInsert(entry);
    const error = 'error' in read ? read.error : left.get(lane);
    if (error !== undefined) all.push({ itemIdentifier, nearestIdentifier, error: () => error });
  }
  return all;
}
