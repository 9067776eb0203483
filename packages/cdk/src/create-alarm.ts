import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

/** An alarm that fires when the metric is at or above the threshold in each of the periods. */
export interface AlarmDefinition {
  readonly id: string;
  readonly description: string;
  readonly metric: cloudwatch.IMetric;
  readonly threshold: number | false;
  readonly periods: number;
  /**
   * How missing data is treated. `missing`: the monitor does not run, which is reported. `ignore`: the alarm
   * keeps its state. `breaching`: it fires. Default `notBreaching`: nothing happened.
   */
  readonly noData?: 'missing' | 'ignore' | 'breaching';
}

const TREATED = {
  missing: cloudwatch.TreatMissingData.MISSING,
  ignore: cloudwatch.TreatMissingData.IGNORE,
  breaching: cloudwatch.TreatMissingData.BREACHING,
  notBreaching: cloudwatch.TreatMissingData.NOT_BREACHING,
};

/** Creates an alarm; none if its threshold is `false`. */
export function createAlarm(
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
