import { Duration, Names } from 'aws-cdk-lib/core';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { anInteger, type Check, checkOptionsOf } from './check-options.ts';
import { type AlarmThresholds, consumerAlarms, monitorAlarms, queueAlarms } from './alarm-definitions.ts';
import type { BatchQueue } from './batch-queue.ts';
import { aConstruct, aDuration, aListOf, aThreshold } from './checks.ts';
import type { ClaimMonitor } from './claim-monitor.ts';
import { createAlarm } from './create-alarm.ts';

/** Properties of `BatchAlarms`. A threshold of `false` creates no alarm. */
export interface BatchAlarmsProps {
  /** The constructs whose queue, dead-letter queue and function are watched. Default: none. */
  readonly queues?: readonly BatchQueue[];
  /** The monitor that counts claims; its function is watched too. Default: claims are not watched. */
  readonly monitor?: ClaimMonitor;
  /** The topic that is notified when an alarm starts and ends. Default: none. */
  readonly topic?: sns.ITopic;
  /** The number of overdue claims in two consecutive runs of the monitor. Default 1. */
  readonly overdueClaims?: number | false;
  /** The number of parked claims. Default 1. */
  readonly parkedClaims?: number | false;
  /** The number of parked claims whose outcome is unknown (`onLapsedLease: 'park'`). Default 1. */
  readonly outcomeUnknownClaims?: number | false;
  /** The number of messages in a dead-letter queue. Default 1. */
  readonly deadLetters?: number | false;
  /** The age of a queue's oldest message, for five minutes. Default 15 minutes. */
  readonly oldestMessageAge?: Duration | false;
  /** The number of failed invocations of a function in 5 minutes. Default 1. */
  readonly errors?: number | false;
  /** The number of throttled invocations of a function in 5 minutes, three times in a row. Default 1. */
  readonly throttles?: number | false;
  /** How many more handlers start than complete in 15 minutes; needs `emfMetrics()`. Default false. */
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
 * CloudWatch alarms for overdue and parked claims, messages in dead-letter queues, the age of the oldest
 * message, errors and throttles. Throws a `ConfigurationError` for invalid properties.
 *
 * @example
 * new BatchAlarms(this, 'Alarms', { queues: [orders], monitor, topic });
 */
export class BatchAlarms extends Construct {
  /** All alarms, in the order of their creation. */
  readonly alarms: readonly cloudwatch.Alarm[];

  /**
   * Creates the alarms.
   *
   * @param scope The parent construct, such as `this` in a stack.
   * @param id The construct's id in that scope.
   * @param props The watched constructs and the thresholds.
   */
  constructor(scope: Construct, id: string, props: BatchAlarmsProps) {
    super(scope, id);
    checkOptionsOf('BatchAlarms', props, checks);
    const { queues = [], monitor, topic } = props;
    const at = thresholdsOf(props);
    const definitions = [
      ...(monitor === undefined ? [] : monitorAlarms(monitor, at)),
      ...idsOf(queues).flatMap(([queue, id]) => [
        ...queueAlarms(id, queue, at),
        // A function of several queues is watched once, under the first of them.
        ...(queues.find((one) => one.function === queue.function) === queue
          ? consumerAlarms(id, queue.function, at)
          : []),
      ]),
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

/** Returns an id of each queue from its path, with the CDK's hash where another has the same letters. */
function idsOf(queues: readonly BatchQueue[]): readonly (readonly [queue: BatchQueue, id: string])[] {
  const taken = new Set<string>();
  return [...new Set(queues)].map((queue) => {
    const short = queue.node.path.replaceAll(/[^A-Za-z0-9]/g, '');
    const id = taken.has(short) ? Names.uniqueId(queue) : short;
    taken.add(id);
    return [queue, id];
  });
}
