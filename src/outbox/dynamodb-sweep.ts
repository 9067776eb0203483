import { systemClock } from '../base/clock.ts';
import { awaitedWrite } from '../observe/json-lines.ts';
import { aFunction, anInteger, checkOptionsOf } from '../options/check-options.ts';
import { assertSender } from './assert-sender.ts';
import { type RelayContext, type RelayOptions, withTime } from './dynamodb-relay.ts';
import { type Sending, sendLanes } from './dynamodb-send.ts';
import { type OutboxTable, outboxTable, tableChecks } from './dynamodb-table.ts';
import { countUnsent, waitingLanes } from './dynamodb-unsent.ts';
import { type OutboxCounts, outboxMetricsLine } from './outbox-metrics.ts';
import type { RowSender } from './row-sender.ts';

/** Options of `sweepOutbox()`. */
export interface SweepOptions extends RelayOptions {
  /** Rows younger than this are left to the stream, in milliseconds. Default: a minute. */
  readonly olderThanMs?: number;
}

/** The result of one run of the sweep. */
export interface SweepReport extends OutboxCounts {
  /** The messages that this run sent. */
  readonly sent: number;
}

/**
 * A Lambda handler for a schedule.
 *
 * @param event Ignored.
 * @param context The context from Lambda, which tells the remaining time.
 */
export type OutboxSweep = (
  event?: unknown,
  context?: RelayContext & { readonly awsRequestId?: string },
) => Promise<SweepReport>;

/**
 * Creates the Lambda handler that sends what the stream of a DynamoDB outbox has left: rows that are older
 * than a minute, released by a person, of a discarded batch, or from before the stream's 24 hours. Run it on
 * a schedule, every minute.
 *
 * Each run writes a line in CloudWatch's embedded metric format, with `WaitingOutboxRows`, `ParkedOutboxRows`
 * and `OldestOutboxRowMs` in the namespace `batchlatch`, by `table`. The invocation fails if the table cannot
 * be read or written. Throws a `ConfigurationError` for invalid options.
 *
 * @param sender The sender, created by `createSender()`.
 * @param options The outbox's table.
 *
 * @example
 * export const sweep = sweepOutbox(createSender(orders, { queueUrl }));
 */
export function sweepOutbox(sender: RowSender, options: SweepOptions = {}): OutboxSweep {
  assertSender('sweepOutbox', sender);
  checkOptionsOf('sweepOutbox', options, { ...tableChecks, write: aFunction(), olderThanMs: anInteger(0) });
  const table = outboxTable('sweepOutbox', options);
  const { clock = systemClock, olderThanMs = 60_000 } = options;
  const write = awaitedWrite(options.write);
  return (_event, context) =>
    withTime(context, clock, async (stop) => {
      // rule: swept-age
      const before = clock.now() - olderThanMs;
      const sent = await sendWaiting({ table: table(), sender, stop, write }, before);
      const counts = await countsOf(table());
      const requestId = context?.awsRequestId;
      await write(outboxMetricsLine(counts, { at: clock.now(), requestId, sent }));
      return { ...counts, sent };
    });
}

async function sendWaiting(sending: Sending, before: number): Promise<number> {
  const { table, stop } = sending;
  // The rows of a lane are in several pages, and are sent with the first of them.
  const seen = new Set<string>();
  let sent = 0;
  for await (const lanes of waitingLanes(table, before, stop)) {
    const fresh = lanes.filter((lane) => !seen.has(lane));
    for (const lane of fresh) seen.add(lane);
    sent += (await sendLanes(fresh, sending)).sent;
  }
  return sent;
}

/** Counts by the index, which is eventually consistent. Takes two requests for each shard at most. */
async function countsOf(table: OutboxTable): Promise<OutboxCounts> {
  const [waiting, parked] = await Promise.all([countUnsent(table, 'WAITING'), countUnsent(table, 'PARKED')]);
  return {
    table: table.tableName,
    waiting: waiting.count,
    parked: parked.count,
    oldestMs: waiting.oldestAt === undefined ? 0 : Math.max(table.clock.now() - waiting.oldestAt, 0),
    isWhole: waiting.isWhole && parked.isWhole,
  };
}
