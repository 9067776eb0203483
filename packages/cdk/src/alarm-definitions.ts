import { Duration } from 'aws-cdk-lib/core';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type { BatchQueue } from './batch-queue.ts';
import type { ClaimMonitor } from './claim-monitor.ts';
import type { AlarmDefinition } from './create-alarm.ts';
import { unfinishedRecords } from './metrics.ts';

/** The thresholds of the alarms; `false` creates no alarm. */
export interface AlarmThresholds {
  readonly overdueClaims: number | false;
  readonly parkedClaims: number | false;
  readonly outcomeUnknownClaims: number | false;
  readonly deadLetters: number | false;
  readonly oldestMessageAge: Duration | false;
  readonly errors: number | false;
  readonly throttles: number | false;
  readonly unfinished: number | false;
}

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);

export function monitorAlarms(monitor: ClaimMonitor, at: AlarmThresholds): AlarmDefinition[] {
  const { tableName } = monitor.claims.table;
  return [
    {
      id: 'Overdue',
      description:
        `Claims of ${tableName} whose lease lapsed and that no worker took over; their work ` +
        `may be half done. See batchlatch claims list --state overdue.`,
      metric: monitor.metricOverdueClaims(),
      threshold: at.overdueClaims,
      // A claim is overdue for up to a visibility timeout until the next delivery takes it over.
      periods: 2,
      noData: 'missing',
    },
    {
      id: 'Parked',
      description:
        `Keys of ${tableName} that failed permanently and do not run again until a person ` +
        `releases or resolves them. See batchlatch claims list --state parked.`,
      metric: monitor.metricParkedClaims(),
      threshold: at.parkedClaims,
      periods: 1,
      noData: 'ignore',
    },
    {
      id: 'OutcomeUnknown',
      description:
        `Parked keys of ${tableName} whose process died, so it is unknown whether their work was done. ` +
        `Find out, then resolve or release them. See batchlatch claims list --parked lapsed.`,
      metric: monitor.metricOutcomeUnknownClaims(),
      threshold: at.outcomeUnknownClaims,
      periods: 1,
      noData: 'ignore',
    },
    ...functionAlarms('Monitor', monitor.function, at),
  ];
}

export function queueAlarms(name: string, batch: BatchQueue, at: AlarmThresholds): AlarmDefinition[] {
  const { queue, deadLetterQueue } = batch;
  return [
    {
      id: `${name}DeadLetters`,
      description: `Dead letters of the queue ${queue.queueName}. See batchlatch dlq list.`,
      metric: deadLetterQueue.metricApproximateNumberOfMessagesVisible({
        statistic: 'Maximum',
        period: MINUTE,
      }),
      threshold: at.deadLetters,
      periods: 1,
    },
    {
      id: `${name}Age`,
      description: `The oldest message of the queue ${queue.queueName} is older than the threshold.`,
      metric: queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: MINUTE }),
      threshold: at.oldestMessageAge && at.oldestMessageAge.toSeconds(),
      periods: 5,
    },
  ];
}

export function consumerAlarms(name: string, of: lambda.Function, at: AlarmThresholds): AlarmDefinition[] {
  return [
    ...functionAlarms(name, of, at),
    {
      id: `${name}Unfinished`,
      description:
        `Handlers of ${of.functionName} that started and did not complete: they ` +
        `failed, were parked, or hung.`,
      metric: unfinishedRecords(of),
      threshold: at.unfinished,
      periods: 1,
    },
  ];
}

function functionAlarms(name: string, of: lambda.Function, at: AlarmThresholds): AlarmDefinition[] {
  const options = { statistic: 'Sum', period: FIVE_MINUTES };
  return [
    {
      id: `${name}Errors`,
      description: `Failed invocations of ${of.functionName}: timeouts, crashes, out of memory.`,
      metric: of.metricErrors(options),
      threshold: at.errors,
      periods: 1,
    },
    {
      id: `${name}Throttles`,
      description: `Invocations of ${of.functionName} that Lambda throttled because no concurrency was left.`,
      metric: of.metricThrottles(options),
      threshold: at.throttles,
      periods: 3,
    },
  ];
}
