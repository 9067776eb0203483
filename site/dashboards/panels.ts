import { INVOCATION_METRICS, type Metric, MONITOR_METRICS, OUTBOX_METRICS } from './metrics.ts';

/** A graph of a dashboard: some metrics with one statistic. */
export interface Panel {
  readonly title: string;
  readonly metrics: readonly string[];
  readonly of: 'function' | 'table' | 'outbox' | 'queue' | 'deadLetterQueue';
  readonly statistic: 'Sum' | 'Maximum' | 'p95';
  readonly unit: Metric['unit'] | 'Seconds';
}

/** What needs a person comes first. */
export const PANELS: readonly Panel[] = [
  {
    title: 'Claims that wait for a person',
    metrics: namesOf(MONITOR_METRICS, 'Count').filter((name) => name !== 'InProgressClaims'),
    of: 'table',
    statistic: 'Maximum',
    unit: 'Count',
  },
  {
    title: 'Oldest overdue claim',
    metrics: namesOf(MONITOR_METRICS, 'Milliseconds'),
    of: 'table',
    statistic: 'Maximum',
    unit: 'Milliseconds',
  },
  {
    title: 'Dead letters',
    metrics: ['ApproximateNumberOfMessagesVisible'],
    of: 'deadLetterQueue',
    statistic: 'Maximum',
    unit: 'Count',
  },
  ofRecords('Throughput', ['Claimed', 'Started', 'Completed']),
  ofRecords('Records handed back or dropped', ['Failed', 'Parked', 'Duplicates', 'Conflicts', 'NotStarted']),
  ofRecords('Attempts that died or hung', ['TookOver', 'Lost', 'StuckHandlers']),
  {
    title: 'Durations and age, 95th percentile',
    metrics: namesOf(INVOCATION_METRICS, 'Milliseconds'),
    of: 'function',
    statistic: 'p95',
    unit: 'Milliseconds',
  },
  {
    title: 'Claims in progress',
    metrics: ['InProgressClaims'],
    of: 'table',
    statistic: 'Maximum',
    unit: 'Count',
  },
  {
    title: 'Messages in the queue',
    metrics: ['ApproximateNumberOfMessagesVisible', 'ApproximateNumberOfMessagesNotVisible'],
    of: 'queue',
    statistic: 'Maximum',
    unit: 'Count',
  },
  {
    title: 'Age of the oldest message',
    metrics: ['ApproximateAgeOfOldestMessage'],
    of: 'queue',
    statistic: 'Maximum',
    unit: 'Seconds',
  },
  {
    title: 'Messages in the outbox',
    metrics: namesOf(OUTBOX_METRICS, 'Count'),
    of: 'outbox',
    statistic: 'Maximum',
    unit: 'Count',
  },
  {
    title: 'Oldest message in the outbox',
    metrics: namesOf(OUTBOX_METRICS, 'Milliseconds'),
    of: 'outbox',
    statistic: 'Maximum',
    unit: 'Milliseconds',
  },
];

/** Where each kind of panel finds its metrics; `$` begins the name of a variable of the dashboard. */
export const PLACES: Readonly<
  Record<Panel['of'], { readonly namespace: string; readonly dimensions: Readonly<Record<string, string>> }>
> = {
  function: { namespace: 'batchlatch', dimensions: { function: '$function', source: '$source' } },
  table: { namespace: 'batchlatch', dimensions: { table: '$table' } },
  outbox: { namespace: 'batchlatch', dimensions: { table: '$outbox' } },
  queue: { namespace: 'AWS/SQS', dimensions: { QueueName: '$queue' } },
  deadLetterQueue: { namespace: 'AWS/SQS', dimensions: { QueueName: '$dead_letter_queue' } },
};

function ofRecords(title: string, metrics: readonly string[]): Panel {
  return { title, metrics, of: 'function', statistic: 'Sum', unit: 'Count' };
}

function namesOf(metrics: readonly Metric[], wanted: Metric['unit']): string[] {
  return metrics.flatMap(({ names, unit }) => (unit === wanted ? names : []));
}
