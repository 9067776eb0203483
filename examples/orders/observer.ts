import { emfMetrics, jsonLines, type Observer, observers } from 'batchlatch/observe';

/** Log lines, and in Lambda the metrics that the alarms and the dashboard of template.yaml look at. */
export const observer: Observer =
  process.env['AWS_EXECUTION_ENV'] === undefined ? jsonLines() : observers(jsonLines(), emfMetrics());
