/** A metric in CloudWatch, in the namespace `batchlatch`. */
export interface Metric {
  readonly names: readonly string[];
  readonly unit: 'Count' | 'Milliseconds';
  /** The text of the documentation's tables, in Markdown. */
  readonly counts: string;
}

/** The metrics of `emfMetrics()`, with the dimensions `function` and `source`. */
export const INVOCATION_METRICS: readonly Metric[] = [
  count('Claimed', 'claims that were acquired; a record that is put off is claimed twice'),
  count('Started', 'calls of the handler, one for each record'),
  count('Completed', 'records whose effect is done and whose completion is stored'),
  count(
    'Failed',
    'records handed back with an error: `failed`, `mismatch`, unreadable, or without an outcome in time',
  ),
  count('Parked', 'records that failed for good, now or before'),
  {
    names: ['Duplicates', 'Conflicts', 'NotStarted'],
    unit: 'Count',
    counts: 'records of these [outcomes](outcomes.md)',
  },
  count('TookOver', 'claims taken over from attempts that had died'),
  count('Lost', 'attempts that ended after another worker had taken their claim'),
  count('StuckHandlers', '`stuck` events'),
  milliseconds('HandlerDuration', 'each call of the handler, failed ones included'),
  milliseconds('ClaimDuration', 'the request to the store that brought the claim; one value for each claim'),
  milliseconds(
    'QueueAge',
    "from the record's sending to the start of its handler. In Kafka and EventBridge the sender sets that time",
  ),
];

/** The metrics of the monitor, with the dimension `table`. */
export const MONITOR_METRICS: readonly Metric[] = [
  count('OverdueClaims', 'claims whose lease has lapsed without being settled or taken over'),
  count('ParkedClaims', 'claims that wait for a person'),
  {
    names: ['ParkedLapsedClaims', 'ParkedFailedClaims', 'ParkedAttemptsClaims', 'ParkedDoneClaims'],
    unit: 'Count',
    counts:
      'the same by [kind](operations/list.md#why-a-claim-is-parked); the outcome of `ParkedLapsedClaims` is unknown',
  },
  count('InProgressClaims', 'claims whose lease is live'),
  milliseconds('OldestOverdueMs', 'for how long the oldest overdue claim has been overdue'),
];

/** The metrics of `sweepOutbox()` and `createOutboxMonitor()`, with the dimension `table`. */
export const OUTBOX_METRICS: readonly Metric[] = [
  count(
    'WaitingOutboxRows',
    'rows that wait for a relay, those behind a parked row included; at most 10,000',
  ),
  count('ParkedOutboxRows', 'rows that could not be sent and wait for a person; at most 10,000'),
  milliseconds('OldestOutboxRowMs', 'the age of the oldest waiting row; 0 if there is none'),
];

/** Returns the table of these metrics for a page. */
export function metricsTable(metrics: readonly Metric[]): string {
  const rows = metrics.map(
    ({ names, unit, counts }) => `| ${names.map((name) => `\`${name}\``).join(', ')} | ${unit} | ${counts} |`,
  );
  return ['| metric | unit | counts |', '|---|---|---|', ...rows].join('\n');
}

function count(name: string, counts: string): Metric {
  return { names: [name], unit: 'Count', counts };
}

function milliseconds(name: string, counts: string): Metric {
  return { names: [name], unit: 'Milliseconds', counts };
}
