import type { Context } from 'aws-lambda';
import type { ClaimAdmin } from '../claims/claim-admin.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import {
  aBoolean,
  aFunction,
  anInteger,
  aString,
  checkOptionsOf,
  objectWith,
} from '../options/check-options.ts';
import { logLine } from '../observe/log-line.ts';
import { linesOf, overdueLines } from './claim-lines.ts';
import { type ClaimMonitorReport, countAll, metricsLine, reportOf } from './report.ts';
import { awaitedWrite } from '../observe/json-lines.ts';
import { tableNameFrom } from './default-ports.ts';
import { anAdmin } from '../options/domain-checks.ts';
import { dynamoDBAdmin } from '../stores/dynamodb/dynamodb-admin.ts';
import { stopBefore } from '../base/stop-before.ts';

/** Options of `createClaimMonitor()`. */
export interface ClaimMonitorOptions {
  /**
   * The admin of the store: `dynamoDBAdmin`, `postgresAdmin` or `redisAdmin`. Default: `dynamoDBAdmin()`,
   * which reads the table in `CLAIMS_TABLE_NAME` by its index `overdue`.
   */
  readonly admin?: ClaimAdmin;
  /** The dimension `table` of the metrics. Default: `CLAIMS_TABLE_NAME`, else `claims`. */
  readonly tableName?: string;
  /** The most overdue claims that are logged, and the most parked ones. 0 logs none. Default 20. */
  readonly limit?: number;
  /** Whether to log keys as well as their hashes. Keys may be confidential. Default false. */
  readonly logKeys?: boolean;
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
export type ClaimMonitor = (
  event?: unknown,
  context?: Pick<Context, 'getRemainingTimeInMillis' | 'awsRequestId'>,
) => Promise<ClaimMonitorReport>;

/**
 * Creates a Lambda handler that counts the claims that hang (overdue), wait for a person (parked) and run
 * (in progress). It writes one line in CloudWatch's embedded metric format, with `OverdueClaims`,
 * `ParkedClaims`, `InProgressClaims` and `OldestOverdueMs` in the namespace `batchlatch`, by `table`, and
 * the parked claims by why they are parked: `ParkedLapsedClaims` (outcome unknown), `ParkedFailedClaims`,
 * `ParkedAttemptsClaims` and `ParkedDoneClaims`. Then it logs the oldest overdue and parked claims, up to
 * `limit` each.
 *
 * It stops before the invocation ends. If a count is not complete by then, it is a lower bound: the line and
 * the report say `isWhole: false`, and an incomplete count of 0 is left out of the metrics.
 *
 * The invocation fails if the store cannot be read, so that an alarm on the function's errors reports it.
 * Throws a `ConfigurationError` for invalid options.
 *
 * @param options The claims to count, and the output.
 *
 * @example
 * export const handler = createClaimMonitor();
 */
export function createClaimMonitor(options: ClaimMonitorOptions = {}): ClaimMonitor {
  checkOptionsOf('createClaimMonitor', options, {
    admin: anAdmin(),
    tableName: aString(),
    limit: anInteger(0),
    logKeys: aBoolean(),
    write: aFunction(),
    clock: objectWith('now', 'setTimer'),
  });
  const { limit = 20, logKeys = false, clock = systemClock } = options;
  const write = awaitedWrite(options.write);
  const table = tableNameFrom(options.tableName);
  const { admin = dynamoDBAdmin() } = options;
  return async (_event, context) => {
    const { stop, cancel } = stopBefore(context, clock);
    const reading = { admin, clock, stop };
    try {
      const found = await countAll(reading);
      const { counted, parked, failure } = found;
      const report = reportOf(table, found, clock.now());
      await write(metricsLine(report, found, { at: clock.now(), requestId: context?.awsRequestId }));
      if (failure?.isOfParked === false) throw failure.error;
      if (report.readBy === 'scan') {
        const { missingIndex } = [...counted.values()].find((one) => one.missingIndex !== undefined) ?? {};
        await write(logLine(clock.now(), 'warn', 'claimsScanned', { table, missingIndex }));
      }
      if (report.overdue > 0 && limit > 0) {
        for (const line of await overdueLines(reading, { limit, logKeys })) await write(line);
      }
      if (failure !== undefined) throw failure.error; // overdue claims are more urgent, and were logged
      for (const line of linesOf(parked.claims, clock.now(), { limit, logKeys })) await write(line);
      return report;
    } finally {
      cancel();
    }
  };
}
