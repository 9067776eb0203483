import { readFileSync } from 'node:fs';
import path from 'node:path';
import { measuredOn } from '../costs/measured.ts';
import { examplesTable } from '../costs/monthly-bill.ts';
import { cloudWatchDashboard } from '../dashboards/cloudwatch.ts';
import { grafanaOnCloudWatch, grafanaOnPrometheus } from '../dashboards/grafana.ts';
import { INVOCATION_METRICS, metricsTable, MONITOR_METRICS, OUTBOX_METRICS } from '../dashboards/metrics.ts';
import { ROOT } from '../pages/root.ts';
import { faultNamed } from '../simulation/faults.ts';
import { runFault } from '../simulation/run-fault.ts';
import { batchWayPicture } from './batch-way.ts';
import { claimLifePicture, claimLifeTable } from './claim-life.ts';
import { crashPointsPicture, crashPointsTable } from './crash-points.ts';
import { lifeOf } from '../settings/life-of-message.ts';
import { lifePicture } from '../settings/life-picture.ts';
import { ADVISED } from '../settings/settings.ts';
import { oneBatchPicture } from './one-batch.ts';
import { runPicture } from './run-picture.ts';

/** The pictures of the pages, by their files, and how each is made. */
export const PICTURES: Readonly<Record<string, () => Promise<string>>> = {
  'docs/images/claim-life.svg': claimLifePicture,
  'docs/images/batch-way.svg': batchWayPicture,
  'docs/images/crash-points.svg': crashPointsPicture,
  'docs/images/simulation-run.svg': async () => runPicture(await runFault(faultNamed('after-effect'))),
  'docs/images/one-batch.svg': () => oneBatchPicture(4),
  'docs/images/one-batch-narrow.svg': () => oneBatchPicture(2),
  'docs/images/failing-message.svg': async () =>
    lifePicture(lifeOf({ ...ADVISED, visibilitySeconds: 20 }, { kind: 'process dies', afterSeconds: 10 })),
};

/** Dashboards to import, by their files, and how each is made. */
export const DASHBOARDS: Readonly<Record<string, () => object>> = {
  'docs/dashboards/cloudwatch.json': cloudWatchDashboard,
  'docs/dashboards/grafana-cloudwatch.json': grafanaOnCloudWatch,
  'docs/dashboards/grafana-opentelemetry.json': grafanaOnPrometheus,
};

/** A table that is made: the page that has it, between comments with its name. */
interface MadeTable {
  readonly page: string;
  make(): Promise<string> | string;
}

export const TABLES: Readonly<Record<string, MadeTable>> = {
  'claim-life': { page: 'docs/concepts.md', make: claimLifeTable },
  'crash-points': { page: 'docs/concepts.md', make: crashPointsTable },
  costs: {
    page: 'docs/costs-calculator.md',
    make: () => examplesTable(measuredOn(readFileSync(path.join(ROOT, 'docs/costs.md'), 'utf8'))),
  },
  metrics: { page: 'docs/observing.md', make: () => metricsTable(INVOCATION_METRICS) },
  'monitor-metrics': { page: 'docs/deploying.md', make: () => metricsTable(MONITOR_METRICS) },
  'outbox-metrics': { page: 'docs/outbox-dynamodb.md', make: () => metricsTable(OUTBOX_METRICS) },
};
