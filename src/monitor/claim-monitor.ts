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
import { listClaims, logLine } from './claim-lines.ts';
import { type ClaimMonitorReport, countAll, metricsLine, reportOf } from './report.ts';
import { tableNameFrom, writeToStandardOutput } from './default-ports.ts';
import { anAdmin } from '../options/domain-checks.ts';
import { dynamoDBAdmin } from '../stores/dynamodb/dynamodb-admin.ts';
import { stopBefore } from './stop-before.ts';

/** What the monitor counts, and what it writes. */
export interface ClaimMonitorOptions {
  /**
   * Of the store whose claims are counted: `dynamoDBAdmin`, `postgresAdmin` or `redisAdmin`. Default: `dynamoDBAdmin()`, which
   * reads the table that `CLAIMS_TABLE_NAME` names, by its index `overdue`.
   */
  readonly admin?: ClaimAdmin;
  /** The dimension `table` of the metrics. Default: `CLAIMS_TABLE_NAME`, else `claims`. */
  readonly tableName?: string;
  /** How many overdue claims are logged, and how many parked ones, each in a line. 0 logs none. Default 20. */
  readonly limit?: number;
  /** Logs the idempotency keys themselves beside their hashes. They may hold what must not be in a log. Default false. */
  readonly logKeys?: boolean;
  /**
   * Takes a line without its line feed. Default: standard output.
   *
   * @param line JSON text.
   */
  readonly write?: (line: string) => void;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/**
 * A Lambda handler for a schedule. Its event is not read.
 *
 * @param event Not read.
 * @param context Lambda's own; tells how much time is left.
 */
export type ClaimMonitor = (
  event?: unknown,
  context?: Pick<Context, 'getRemainingTimeInMillis' | 'awsRequestId'>,
) => Promise<ClaimMonitorReport>;

/**
 * Makes a Lambda handler that counts the claims that hang (overdue), wait for a person (parked) and run (in progress), and
 * writes them as one line of CloudWatch's embedded metric format: `OverdueClaims`, `ParkedClaims`, `InProgressClaims` and
 * `OldestOverdueMs`, in the namespace `batchlatch`, by `table`. The oldest overdue claims and the parked ones follow, a line
 * for each, up to `limit`.
 *
 * It stops in time before the invocation ends. What was not counted to the end by then is the least that there are: the line
 * and the report say `isWhole: false`, and a count of 0 that is not whole is no metric.
 *
 * The invocation fails with the store's error where the store cannot be read, so that an alarm on the function's errors sees
 * it. Throws a `ConfigurationError` for options that are wrong.
 *
 * @param options What it counts, and where it writes.
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
  const { limit = 20, logKeys = false, clock = systemClock, write = writeToStandardOutput } = options;
  const table = tableNameFrom(options.tableName);
  const { admin = dynamoDBAdmin() } = options;
  return async (_event, context) => {
    const { stop, cancel } = stopBefore(context, clock);
    const reading = { admin, clock, stop };
    try {
      const { counted, failure } = await countAll(reading);
      const report = reportOf(table, counted, clock.now());
      write(metricsLine(report, counted, { at: clock.now(), requestId: context?.awsRequestId }));
      if (failure !== undefined) throw failure.error;
      if (report.readBy === 'scan') {
        const { missingIndex } = [...counted.values()].find((one) => one.missingIndex !== undefined) ?? {};
        write(logLine(clock.now(), 'warn', 'claimsScanned', { table, missingIndex }));
      }
      for (const state of ['overdue', 'parked'] as const) {
        if ((counted.get(state)?.count ?? 0) === 0 || limit === 0) continue;
        for (const line of await listClaims(state, reading, { limit, logKeys })) write(line);
      }
      return report;
    } finally {
      cancel();
    }
  };
}
