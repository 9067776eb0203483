import { linesPlot } from '../report/plots/lines.ts';
import type { PlotFile } from '../report/plots/plot-file.ts';
import type { Row, Study } from './study.ts';

const SERIES = {
  domain: ['write units', 'DynamoDB requests', 'SQS requests', 'US cents'],
  range: ['#2f81f7', '#8b949e', '#e07a2f', '#3fb950'],
};

/** What grows with messages and with workers: straight lines that rise by one decade in each are linear. */
export function picturesOf({ byMessages, byWorkers }: Study): PlotFile[] {
  return [
    picture('scale-messages', 'What messages cost', byMessages, 'messages', ({ messages }) => messages),
    picture('scale-workers', 'What workers cost', byWorkers, 'workers', ({ workers }) => workers),
  ].filter((plot) => plot !== undefined);
}

function picture(
  file: string,
  title: string,
  rows: readonly Row[],
  xLabel: string,
  xOf: (row: Row) => number,
): PlotFile | undefined {
  const points = rows.flatMap((row) =>
    [row.writeUnits, row.tableRequests, row.queueRequests, row.usd * 100].map((y, index) => ({
      x: xOf(row),
      y,
      low: y,
      high: y,
      name: SERIES.domain[index] as string,
    })),
  );
  return linesPlot(file, title, points, xLabel, 'units, requests, cents', SERIES);
}
