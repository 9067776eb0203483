import { type Panel, PANELS, PLACES } from './panels.ts';

const [WIDTH, HEIGHT, COLUMNS] = [8, 8, 3] as const;
const UNITS: Readonly<Record<Panel['unit'], string>> = { Count: 'short', Milliseconds: 'ms', Seconds: 's' };

/** Returns a Grafana dashboard on a CloudWatch data source, for Dashboards > Import. */
export function grafanaOnCloudWatch(): object {
  return dashboardOf('batchlatch-cloudwatch', 'batchlatch (CloudWatch)', {
    variables: [
      { name: 'datasource', label: 'Data source', type: 'datasource', query: 'cloudwatch' },
      cloudWatchVariable('region', 'Region', { queryType: 'regions' }),
      ofDimension('function', 'Function', 'batchlatch', 'Started', 'function'),
      ofDimension('source', 'Source', 'batchlatch', 'Started', 'source'),
      ofDimension('table', 'Claims table', 'batchlatch', 'OverdueClaims', 'table'),
      ofDimension('outbox', 'Outbox', 'batchlatch', 'WaitingOutboxRows', 'table'),
      ofDimension('queue', 'Queue', 'AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'QueueName'),
      ofDimension(
        'dead_letter_queue',
        'Dead-letter queue',
        'AWS/SQS',
        'ApproximateNumberOfMessagesVisible',
        'QueueName',
      ),
    ],
    panels: PANELS.map(({ title, metrics, of, statistic, unit }) => ({
      title,
      unit: UNITS[unit],
      isLogarithmic: unit !== 'Count',
      targets: metrics.map((metricName) => ({
        queryMode: 'Metrics',
        metricQueryType: 0,
        metricEditorMode: 0,
        region: '$region',
        ...PLACES[of],
        metricName,
        statistic,
        matchExact: true,
        period: of === 'table' ? '300' : '60',
        label: metricName,
      })),
    })),
  });
}

/** The quantiles of the durations that are drawn. */
const QUANTILES = [0.5, 0.95, 0.99] as const;

/**
 * Returns a Grafana dashboard of the metrics of `openTelemetry()` in Prometheus, whose names follow
 * OpenTelemetry's rules for Prometheus.
 *
 * https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/
 */
export function grafanaOnPrometheus(): object {
  const destination = '{messaging_destination_name=~"$destination"}';
  const rate = (metric: string, by: string): string =>
    `sum by (${by}) (rate(${metric}${destination}[$__rate_interval]))`;
  return dashboardOf('batchlatch-opentelemetry', 'batchlatch (OpenTelemetry)', {
    variables: [
      { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
      {
        ...queryVariable('destination', 'Queue or stream'),
        query: 'label_values(batchlatch_records_total, messaging_destination_name)',
        multi: true,
        includeAll: true,
        allValue: '.*',
      },
    ],
    panels: [
      {
        title: 'Records by outcome',
        unit: 'cps',
        targets: [
          {
            expr: rate('batchlatch_records_total', 'batchlatch_outcome'),
            legendFormat: '{{batchlatch_outcome}}',
          },
        ],
      },
      {
        title: 'Records delivered',
        unit: 'cps',
        targets: [
          {
            expr: rate('messaging_client_consumed_messages_total', 'messaging_destination_name'),
            legendFormat: '{{messaging_destination_name}}',
          },
        ],
      },
      {
        title: 'Failed calls of the handler by error',
        unit: 'cps',
        targets: [
          {
            expr:
              'sum by (error_type) (rate(messaging_process_duration_seconds_count' +
              '{messaging_destination_name=~"$destination", error_type!=""}[$__rate_interval]))',
            legendFormat: '{{error_type}}',
          },
        ],
      },
      {
        title: 'Duration of the handler',
        unit: 's',
        isLogarithmic: true,
        targets: QUANTILES.map((quantile) => ({
          expr: `histogram_quantile(${quantile}, ${rate('messaging_process_duration_seconds_bucket', 'le')})`,
          legendFormat: `p${quantile * 100}`,
        })),
      },
    ],
  });
}

interface PanelOfGrafana {
  readonly title: string;
  readonly unit: string;
  readonly isLogarithmic?: boolean;
  readonly targets: readonly object[];
}

function dashboardOf(
  uid: string,
  title: string,
  {
    variables,
    panels,
  }: { readonly variables: readonly object[]; readonly panels: readonly PanelOfGrafana[] },
): object {
  return {
    uid,
    title,
    tags: ['batchlatch'],
    schemaVersion: 39,
    editable: true,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: variables },
    panels: panels.map((panel, index) => panelOf(panel, index)),
  };
}

function panelOf({ title, unit, isLogarithmic = false, targets }: PanelOfGrafana, index: number): object {
  const datasource = { uid: '$datasource' };
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    datasource,
    gridPos: {
      x: (index % COLUMNS) * WIDTH,
      y: Math.floor(index / COLUMNS) * HEIGHT,
      w: WIDTH,
      h: HEIGHT,
    },
    fieldConfig: {
      defaults: {
        unit,
        min: isLogarithmic ? undefined : 0,
        custom: { scaleDistribution: isLogarithmic ? { type: 'log', log: 10 } : { type: 'linear' } },
      },
      overrides: [],
    },
    targets: targets.map((target, place) => ({
      refId: String.fromCodePoint(65 + place),
      datasource,
      ...target,
    })),
  };
}

function queryVariable(name: string, label: string): object {
  return { name, label, type: 'query', datasource: { uid: '$datasource' }, refresh: 2, sort: 1 };
}

function cloudWatchVariable(name: string, label: string, query: object): object {
  return {
    ...queryVariable(name, label),
    query: { refId: 'CloudWatchVariableQueryEditor-VariableQuery', ...query },
  };
}

function ofDimension(
  name: string,
  label: string,
  namespace: string,
  metricName: string,
  dimensionKey: string,
): object {
  return cloudWatchVariable(name, label, {
    queryType: 'dimensionValues',
    region: '$region',
    namespace,
    metricName,
    dimensionKey,
    dimensionFilters: {},
  });
}
