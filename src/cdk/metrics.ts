import { Duration } from 'aws-cdk-lib/core';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as lambda from 'aws-cdk-lib/aws-lambda';

/** Where CloudWatch has the metrics of this library: those of `emfMetrics()`, and those of the monitor. */
export const METRICS_NAMESPACE = 'batchlatch';

/** What started and has not ended, of the metrics that `emfMetrics()` writes for a function of SQS. */
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
    label: 'Started minus completed minus failed',
    expression: 'FILL(started, 0) - FILL(completed, 0) - FILL(failed, 0)',
    usingMetrics: { started: sum('Started'), completed: sum('Completed'), failed: sum('Failed') },
    period,
  });
}
