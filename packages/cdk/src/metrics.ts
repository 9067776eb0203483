import { Duration } from 'aws-cdk-lib/core';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as lambda from 'aws-cdk-lib/aws-lambda';

/** Where CloudWatch has the metrics of this library: those of `emfMetrics()`, and those of the monitor. */
export const METRICS_NAMESPACE = 'batchlatch';

/**
 * What started and was not completed, of the metrics that `emfMetrics()` writes for a function of SQS. Failures are not taken
 * off: they count records that never started too.
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
