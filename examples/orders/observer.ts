import { emfMetrics, jsonLines, type Observer, observers } from 'batchlatch/observe';

/** Log lines, and in Lambda the metrics that the alarms and the dashboard of template.yaml look at. */
export const observer: Observer =
  process.env['AWS_LAMBDA_FUNCTION_NAME'] === undefined ? jsonLines() : observers(jsonLines(), emfMetrics());
