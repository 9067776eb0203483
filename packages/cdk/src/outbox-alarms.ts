import { Duration } from 'aws-cdk-lib/core';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { aString, type Check, checkOptionsOf, required } from './check-options.ts';
import { aConstruct, aDuration } from './checks.ts';
import { createAlarm } from './create-alarm.ts';
import { METRICS_NAMESPACE } from './metrics.ts';

/** Properties of `OutboxAlarms`. */
export interface OutboxAlarmsProps {
  /** The `tableName` of the monitor, `createOutboxMonitor({ tableName })`. */
  readonly tableName: string;
  /** How often the monitor runs, in whole minutes. Default 1 minute. */
  readonly every?: Duration;
  /** The topic that is notified by the alarms. Default: none. */
  readonly topic?: sns.ITopic;
  /** The age of the oldest waiting row, for five minutes, that raises the alarm. Default 5 minutes. */
  readonly oldestRowAge?: Duration;
}

const checks: Readonly<Record<keyof OutboxAlarmsProps, Check>> = {
  tableName: required(aString()),
  every: aDuration(),
  topic: aConstruct('a topic of aws-cdk-lib/aws-sns', 'topicArn'),
  oldestRowAge: aDuration(),
};

/**
 * Alarms for old and parked rows of an outbox in PostgreSQL, from the metrics of `createOutboxMonitor()`. An
 * `Outbox` has the same alarms. Throws a `ConfigurationError` for invalid properties.
 *
 * @example
 * new OutboxAlarms(this, 'OutboxAlarms', { tableName: 'orders-outbox' });
 */
export class OutboxAlarms extends Construct {
  /** The alarms for the age of the oldest waiting row, and for parked rows. */
  readonly alarms: readonly cloudwatch.Alarm[];

  /**
   * Creates the alarms.
   *
   * @param scope The parent construct, such as `this` in a stack.
   * @param id The construct's id in that scope.
   * @param props The table, the monitor's schedule and the threshold.
   */
  constructor(scope: Construct, id: string, props: OutboxAlarmsProps) {
    super(scope, id);
    checkOptionsOf('OutboxAlarms', props, checks);
    this.alarms = createOutboxAlarms(this, props.tableName, props);
  }
}

export function createOutboxAlarms(
  scope: Construct,
  tableName: string,
  { every = MINUTE, topic, oldestRowAge = FIVE_MINUTES }: Omit<OutboxAlarmsProps, 'tableName'>,
): cloudwatch.Alarm[] {
  const metric = (metricName: string): cloudwatch.Metric =>
    new cloudwatch.Metric({
      namespace: METRICS_NAMESPACE,
      metricName,
      dimensionsMap: { table: tableName },
      statistic: 'Maximum',
      period: every,
    });
  return [
    {
      id: 'OldestRow',
      description: `Messages of the outbox ${tableName} wait, or its sweep or monitor does not run.`,
      metric: metric('OldestOutboxRowMs'),
      threshold: oldestRowAge.toMilliseconds(),
      periods: Math.ceil(FIVE_MINUTES.toSeconds() / every.toSeconds()),
      noData: 'breaching' as const,
    },
    {
      id: 'ParkedRows',
      description: `Messages of the outbox ${tableName} were refused for good, and hold their groups.`,
      metric: metric('ParkedOutboxRows'),
      threshold: 1,
      periods: 1,
      noData: 'ignore' as const,
    },
  ].flatMap((definition) => createAlarm(scope, definition, topic));
}

const MINUTE = Duration.minutes(1);
const FIVE_MINUTES = Duration.minutes(5);
