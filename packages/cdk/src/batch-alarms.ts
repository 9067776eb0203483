import { Duration } from 'aws-cdk-lib/core';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { anInteger, type Check, checkOptionsOf } from './check-options.ts';
import {
  type AlarmDefinition,
  type AlarmThresholds,
  monitorAlarms,
  queueAlarms,
} from './alarm-definitions.ts';
import type { BatchQueue } from './batch-queue.ts';
import { aConstruct, aDuration, aListOf, aThreshold } from './checks.ts';
import type { ClaimMonitor } from './claim-monitor.ts';

/** Properties of `BatchAlarms`. Each threshold may be `false`, for no such alarm. */
export interface BatchAlarmsProps {
  /** Whose queue, dead-letter queue and function are watched. Default none. */
  readonly queues?: readonly BatchQueue[];
  /** The monitor that counts the claims, and is watched itself. Default: claims are not watched. */
  readonly monitor?: ClaimMonitor;
  /** Is told of each alarm and of its end. Default: nobody is told. */
  readonly topic?: sns.ITopic;
  /** So many claims are overdue in two runs of the monitor one after the other. Default 1. */
  readonly overdueClaims?: number | false;
  /** So many claims are parked. Default 1. */
  readonly parkedClaims?: number | false;
  /** The number of parked claims whose outcome is unknown (`onLapsedLease: 'park'`). Default 1. */
  readonly outcomeUnknownClaims?: number | false;
  /** So many messages are in a dead-letter queue. Default 1. */
  readonly deadLetters?: number | false;
  /** The oldest message of a queue has this age for five minutes. Default 15 minutes. */
  readonly oldestMessageAge?: Duration | false;
  /** So many invocations of a function fail in 5 minutes. Default 1. */
  readonly errors?: number | false;
  /** So many invocations of a function are throttled in each of three times 5 minutes. Default 1. */
  readonly throttles?: number | false;
  /** So many more handlers started than completed in 15 minutes. For functions that observe with `emfMetrics()`. Default false. */
  readonly unfinished?: number | false;
}

const aCount = aThreshold(anInteger(1));
const checks: Readonly<Record<keyof BatchAlarmsProps, Check>> = {
  queues: aListOf(aConstruct('a BatchQueue', 'queue', 'deadLetterQueue')),
  monitor: aConstruct('a ClaimMonitor', 'claims', 'metricOverdueClaims'),
  topic: aConstruct('a topic of aws-cdk-lib/aws-sns', 'topicArn'),
  overdueClaims: aCount,
  parkedClaims: aCount,
  outcomeUnknownClaims: aCount,
  deadLetters: aCount,
  oldestMessageAge: aThreshold(aDuration()),
  errors: aCount,
  throttles: aCount,
  unfinished: aCount,
};

/**
 * CloudWatch alarms about claims, queues and functions: overdue and parked claims, messages in dead-letter queues, the age of the oldest message,
 * errors and throttles. Throws a `ConfigurationError` for properties that cannot work.
 *
 * @example
 * new BatchAlarms(this, 'Alarms', { queues: [orders], monitor, topic });
 */
export class BatchAlarms extends Construct {
  /** All of them, in the order in which they were made. */
  readonly alarms: readonly cloudwatch.Alarm[];

  /**
   * Makes the alarms.
   *
   * @param scope What it is a part of, such as `this` in a stack.
   * @param id Its name in that scope.
   * @param props What is watched, and from which value on. A value that cannot be is a `ConfigurationError`.
   */
  constructor(scope: Construct, id: string, props: BatchAlarmsProps) {
    super(scope, id);
    checkOptionsOf('BatchAlarms', props, checks);
    const { queues = [], monitor, topic } = props;
    const at = thresholdsOf(props);
    const definitions = [
      ...(monitor === undefined ? [] : monitorAlarms(monitor, at)),
      ...queues.flatMap((queue) => queueAlarms(idOf(queue), queue, at)),
    ];
    this.alarms = definitions.flatMap((definition) => createAlarm(this, definition, topic));
  }
}

function thresholdsOf(props: BatchAlarmsProps): AlarmThresholds {
  return {
    overdueClaims: 1,
    parkedClaims: 1,
    outcomeUnknownClaims: 1,
    deadLetters: 1,
    oldestMessageAge: Duration.minutes(15),
    errors: 1,
    throttles: 1,
    unfinished: false,
    ...Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined)),
  };
}

/** Two queues may have one id in different parts of an app; the path tells them apart. */
function idOf({ node }: BatchQueue): string {
  return node.path.replaceAll(/[^A-Za-z0-9]/g, '');
}

const TREATED = {
  missing: cloudwatch.TreatMissingData.MISSING,
  ignore: cloudwatch.TreatMissingData.IGNORE,
  notBreaching: cloudwatch.TreatMissingData.NOT_BREACHING,
};

function createAlarm(
  scope: Construct,
  { id, description, metric, threshold, periods, noData }: AlarmDefinition,
  topic: sns.ITopic | undefined,
): cloudwatch.Alarm[] {
  if (threshold === false) return [];
  const alarm = new cloudwatch.Alarm(scope, id, {
    alarmDescription: description,
    metric,
    threshold,
    evaluationPeriods: periods,
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TREATED[noData ?? 'notBreaching'],
  });
  if (topic !== undefined) {
    const tell = new actions.SnsAction(topic);
    alarm.addAlarmAction(tell);
    alarm.addOkAction(tell);
    if (noData === 'missing') alarm.addInsufficientDataAction(tell);
  }
  return [alarm];
}
