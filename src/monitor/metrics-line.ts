import type { ClaimMonitorReport, CountedState, Counts } from './report.ts';

interface Metric {
  readonly name: string;
  readonly unit: 'Count' | 'Milliseconds';
  readonly value: number;
  readonly of: CountedState;
}

/**
 * One line of CloudWatch's embedded metric format. A count of 0 is a metric as any other, so that "no data" means that the
 * monitor does not run. But 0 of a count that is not whole is not known to be true, and is left out of the metrics.
 *
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function metricsLine(
  report: ClaimMonitorReport,
  counted: Counts,
  { at, requestId }: { readonly at: number; readonly requestId?: string | undefined },
): string {
  const { table, isWhole, readBy, overdue, parked, inProgress, oldestOverdueMs } = report;
  const all: Metric[] = [
    { name: 'OverdueClaims', unit: 'Count', value: overdue, of: 'overdue' },
    { name: 'ParkedClaims', unit: 'Count', value: parked, of: 'parked' },
    { name: 'InProgressClaims', unit: 'Count', value: inProgress, of: 'in-progress' },
    { name: 'OldestOverdueMs', unit: 'Milliseconds', value: oldestOverdueMs, of: 'overdue' },
  ];
  const known = all.filter(({ of, value }) => value > 0 || counted.get(of)?.isWhole === true);
  const Metrics = known.map(({ name, unit }) => ({ Name: name, Unit: unit }));
  const readings = [...counted.values()];
  return JSON.stringify({
    // Without metrics it is a line like any other.
    ...(known.length > 0 && {
      _aws: {
        Timestamp: at,
        CloudWatchMetrics: [{ Namespace: 'batchlatch', Dimensions: [['table']], Metrics }],
      },
    }),
    message: 'claimsCounted',
    requestId,
    table,
    ...Object.fromEntries(known.map(({ name, value }) => [name, value])),
    isWhole,
    readBy,
    rowsRead: sum(readings.map(({ rowsRead }) => rowsRead)),
    readUnits: sum(readings.map(({ readUnits = 0 }) => readUnits)),
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
