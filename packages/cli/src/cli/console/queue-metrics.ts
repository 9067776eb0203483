import { askCloudWatch, type CloudWatchPlace } from '../../cloudwatch/ask-cloudwatch.ts';
import type { Clock } from '../../tool-base/clock.ts';
import type { ConsoleOptions } from '../../console/options.ts';
import type { QueueMetrics } from '../../console/queue-reader.ts';

/** How far back to look: CloudWatch has SQS's values a few minutes late. */
const LAST_MS = 900_000;
const PERIOD_SECONDS = 60;

/** The metrics of each queue; CloudWatch charges for each. */
const METRICS = {
  oldest: 'ApproximateAgeOfOldestMessage',
  noisy: 'ApproximateNumberOfNoisyGroups',
} as const;

/** Returns a function that reads each queue's age of the oldest message and number of noisy groups. */
export function queueMetricsOf(
  place: CloudWatchPlace,
  urls: readonly string[],
  clock: Clock,
): NonNullable<ConsoleOptions['queueMetrics']> {
  return async (signal) => {
    const now = clock.now();
    const input = {
      StartTime: Math.floor((now - LAST_MS) / 1_000),
      EndTime: Math.ceil(now / 1_000),
      ScanBy: 'TimestampDescending',
      MetricDataQueries: urls.flatMap((url, index) =>
        Object.entries(METRICS).map(([id, MetricName]) => queryOf(`${id}${index}`, MetricName, url)),
      ),
    };
    const { MetricDataResults } = await askCloudWatch(place, ['metrics', 'GetMetricData'], input, signal);
    const latest = latestOf(MetricDataResults);
    return new Map(urls.map((url, index) => [url, metricsOf(latest, index)]));
  };
}

function queryOf(Id: string, MetricName: string, url: string): object {
  const Dimensions = [{ Name: 'QueueName', Value: new URL(url).pathname.split('/').at(-1) }];
  return {
    Id,
    MetricStat: {
      Metric: { Namespace: 'AWS/SQS', MetricName, Dimensions },
      Period: PERIOD_SECONDS,
      Stat: 'Maximum',
    },
  };
}

/** Returns the newest value of each query that has one. */
function latestOf(results: unknown): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const result of Array.isArray(results) ? (results as unknown[]) : []) {
    const { Id, Values } = (result ?? {}) as { readonly Id?: unknown; readonly Values?: unknown };
    const [value] = Array.isArray(Values) ? (Values as unknown[]) : [];
    if (typeof Id === 'string' && typeof value === 'number') latest.set(Id, value);
  }
  return latest;
}

function metricsOf(latest: ReadonlyMap<string, number>, index: number): QueueMetrics {
  const [oldest, noisy] = [latest.get(`oldest${index}`), latest.get(`noisy${index}`)];
  return {
    ...(oldest !== undefined && { oldestAgeMs: oldest * 1_000 }),
    ...(noisy !== undefined && { noisyGroups: noisy }),
  };
}
