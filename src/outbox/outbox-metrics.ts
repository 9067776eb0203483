/** How many messages of an outbox are not sent. */
export interface OutboxCounts {
  /** The dimension `table` of the metrics. */
  readonly table: string;
  /** Rows that wait for a relay, those behind a parked row included. */
  readonly waiting: number;
  /** Rows that could not be sent and wait for a person. */
  readonly parked: number;
  /** The age of the oldest waiting row in milliseconds; 0 if there is none. */
  readonly oldestMs: number;
  /** Whether every row was counted; at 10,000 the counts are lower bounds. */
  readonly isWhole: boolean;
}

/**
 * Returns a line in CloudWatch's embedded metric format. Zeros are written too, so that "no data" means that
 * nothing counts.
 */
export function outboxMetricsLine(
  counts: OutboxCounts,
  {
    at,
    requestId,
    sent,
  }: { readonly at: number; readonly requestId?: string | undefined; readonly sent?: number },
): string {
  const { table, waiting, parked, oldestMs, isWhole } = counts;
  const Metrics = [
    { Name: 'WaitingOutboxRows', Unit: 'Count' },
    { Name: 'ParkedOutboxRows', Unit: 'Count' },
    { Name: 'OldestOutboxRowMs', Unit: 'Milliseconds' },
  ];
  return JSON.stringify({
    _aws: {
      Timestamp: at,
      CloudWatchMetrics: [{ Namespace: 'batchlatch', Dimensions: [['table']], Metrics }],
    },
    message: 'outboxCounted',
    requestId,
    table,
    WaitingOutboxRows: waiting,
    ParkedOutboxRows: parked,
    OldestOutboxRowMs: oldestMs,
    isWhole,
    sent,
  });
}
