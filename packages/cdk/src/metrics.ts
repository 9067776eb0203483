import { Duration } from 'aws-cdk-lib/core';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as lambda from 'aws-cdk-lib/aws-lambda';

/** The CloudWatch namespace of `emfMetrics()` and of the monitor. */
export const METRICS_NAMESPACE = 'batchlatch';

/**
 * Returns the started minus the completed handlers, from the `emfMetrics()` of an SQS function. `Failed` is
 * not subtracted, because it includes records that never started.
 */
export function unfinishedRecords(of: lambda.Function): cloudwatch.MathExpression {
  const period = Duration.minutes(15);
  const sum = (metricName: string): cloudwatch.Metric =>
    new cloudwatch.Metric({
      namespace: METRICS_NAMESPACE,
      metricName,
      dimensionsMap: { function: of.functionName, source: 'sqs' },
      statistic: 'Sum',
      period,
    });
  return new cloudwatch.MathExpression({
    label: 'Started minus completed',
    expression: 'FILL(started, 0) - FILL(completed, 0)',
    usingMetrics: { started: sum('Started'), completed: sum('Completed') },
    period,
  });
}
