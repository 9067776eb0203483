import type { Context } from 'aws-lambda';
import { boundedCall } from '../base/bounded.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { MONITOR_CALL_MS } from '../base/limits.ts';
import { stopBefore } from '../base/stop-before.ts';
import { unansweredByStore } from '../claims/store-errors.ts';
import { aFunction, aString, checkOptionsOf, objectWith, required } from '../options/check-options.ts';
import { MOST_COUNTED, type OutboxAdmin } from '../outbox/outbox-admin.ts';
import { type OutboxCounts, outboxMetricsLine } from '../outbox/outbox-metrics.ts';
import { awaitedWrite } from '../observe/json-lines.ts';
import { outboxNameFrom } from './default-ports.ts';

/** Options of `createOutboxMonitor()`. */
export interface OutboxMonitorOptions {
  /** The administration of the outbox, such as `postgresOutboxAdmin({ pool })`. */
  readonly admin: OutboxAdmin;
  /** The dimension `table` of the metrics. Default: `OUTBOX_TABLE_NAME`, else `outbox`. */
  readonly tableName?: string;
  /**
   * Writes a line, given without its line feed. A promise is awaited. Default: to standard output.
   *
   * @param line JSON text.
   */
  readonly write?: (line: string) => unknown;
  /** The clock, for tests. Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * A Lambda handler for a schedule.
 *
 * @param event Ignored.
 * @param context The context from Lambda, which tells the remaining time.
 */
export type OutboxMonitor = (
  event?: unknown,
  context?: Pick<Context, 'getRemainingTimeInMillis' | 'awsRequestId'>,
) => Promise<OutboxCounts>;

/**
 * Creates a Lambda handler that counts the rows of an outbox. It writes one line in CloudWatch's embedded
 * metric format, with `WaitingOutboxRows`, `ParkedOutboxRows` and `OldestOutboxRowMs` in the namespace
 * `batchlatch`, by `table`. An outbox in DynamoDB needs none: `sweepOutbox()` writes the same line.
 *
 * The invocation fails if the outbox cannot be read in time, so that an alarm on the function's errors
 * reports it. Throws a `ConfigurationError` for invalid options.
 *
 * @param options The outbox, and the output.
 *
 * @example
 * export const outboxMonitor = createOutboxMonitor({ admin: postgresOutboxAdmin({ pool }) });
 */
export function createOutboxMonitor(options: OutboxMonitorOptions): OutboxMonitor {
  checkOptionsOf('createOutboxMonitor', options, {
    admin: required(objectWith('list', 'count', 'change')),
    tableName: aString(),
    write: aFunction(),
    clock: objectWith('now', 'setTimer'),
  });
  const { admin, clock = systemClock } = options;
  const write = awaitedWrite(options.write);
  const table = outboxNameFrom(options.tableName);
  return async (_event, context) => {
    const { stop, cancel } = stopBefore(context, clock);
    try {
      const { waiting, parked, oldestWaitingAt } = await boundedCall((signal) => admin.count({ signal }), {
        clock,
        limitMs: MONITOR_CALL_MS,
        signal: stop,
        errorOf: (why) => unansweredByStore(why, MONITOR_CALL_MS),
      });
      const counts = {
        table,
        waiting,
        parked,
        oldestMs: oldestWaitingAt === undefined ? 0 : Math.max(clock.now() - oldestWaitingAt, 0),
        isWhole: waiting < MOST_COUNTED && parked < MOST_COUNTED,
      };
      await write(outboxMetricsLine(counts, { at: clock.now(), requestId: context?.awsRequestId }));
      return counts;
    } finally {
      cancel();
    }
  };
}
