import { describe, expect, it } from '@jest/globals';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { createClaimMonitor, createOutboxMonitor } from 'batchlatch/monitor';
import { openTelemetry } from 'batchlatch/opentelemetry';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { cloudWatchDashboard } from '../../site/dashboards/cloudwatch.ts';
import { grafanaOnCloudWatch, grafanaOnPrometheus } from '../../site/dashboards/grafana.ts';
import {
  INVOCATION_METRICS,
  type Metric,
  MONITOR_METRICS,
  OUTBOX_METRICS,
} from '../../site/dashboards/metrics.ts';
import { METRIC_NAMES } from '../../src/observe/totals.ts';

const namesOf = (metrics: readonly Metric[]): string[] =>
  metrics.flatMap(({ names }) => names).toSorted((one, other) => one.localeCompare(other));

interface CloudWatch {
  readonly variables: readonly { readonly id: string; readonly pattern: string }[];
  readonly widgets: readonly { readonly properties: { readonly metrics: readonly string[][] } }[];
}

interface Grafana {
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly metricName?: string; readonly expr?: string }[];
  }[];
}

describe('The list of metrics', () => {
  it('has those that emfMetrics() writes', () => {
    expect(namesOf(INVOCATION_METRICS)).toEqual(
      METRIC_NAMES.toSorted((one, other) => one.localeCompare(other)),
    );
  });

  it('has those that the monitor writes', async () => {
    const lines: string[] = [];
    const monitor = createClaimMonitor({
      admin: memoryStore(),
      tableName: 'claims',
      write: (line) => lines.push(line),
    });
    await monitor({}, lambdaContext());
    expectMetrics(lines[0], MONITOR_METRICS);
  });

  it('has those that the monitor of an outbox writes', async () => {
    const lines: string[] = [];
    const unused = (): Promise<never> => Promise.reject(new Error('must not be called'));
    const admin = { list: unused, change: unused, count: async () => ({ waiting: 0, parked: 0 }) };
    await createOutboxMonitor({ admin, write: (line) => lines.push(line) })();
    expectMetrics(lines[0], OUTBOX_METRICS);
  });
});

function expectMetrics(line: string | undefined, metrics: readonly Metric[]): void {
  const { _aws } = JSON.parse(line ?? '') as {
    _aws: { CloudWatchMetrics: [{ Metrics: { Name: string; Unit: string }[] }] };
  };
  const units = metrics.flatMap(({ names, unit }) => names.map((Name) => ({ Name, Unit: unit })));
  expect(_aws.CloudWatchMetrics[0].Metrics).toEqual(expect.arrayContaining(units));
  expect(_aws.CloudWatchMetrics[0].Metrics).toHaveLength(units.length);
}

describe('The dashboard of CloudWatch', () => {
  const { variables, widgets } = cloudWatchDashboard() as CloudWatch;
  const paths = widgets.flatMap(({ properties }) => properties.metrics);

  it('shows every metric of the list', () => {
    const shown = new Set(
      paths.flatMap(([namespace, name = '']) => (namespace === 'batchlatch' ? [name] : [])),
    );
    expect([...shown].toSorted((one, other) => one.localeCompare(other))).toEqual(
      namesOf([...INVOCATION_METRICS, ...MONITOR_METRICS, ...OUTBOX_METRICS]),
    );
  });

  it('finds each dimension by a variable, and has no variable that nothing uses', () => {
    const body = JSON.stringify(widgets);
    for (const { id, pattern } of variables) expect([id, body.includes(pattern)]).toEqual([id, true]);
    const patterns = new Set(variables.map(({ pattern }) => pattern));
    const values = paths.flatMap((path) => path.slice(2).filter((_, index) => index % 2 === 1));
    expect(values.filter((value) => !patterns.has(value))).toEqual([]);
  });

  it('writes a variable as the CDK does', () => {
    const written = new cloudwatch.DashboardVariable({
      type: cloudwatch.VariableType.PATTERN,
      value: 'TABLE_OF_DASHBOARD',
      inputType: cloudwatch.VariableInputType.SELECT,
      id: 'table',
      label: 'Claims table',
      visible: true,
      defaultValue: cloudwatch.DefaultValue.FIRST,
      values: cloudwatch.Values.fromSearch('{batchlatch,table} MetricName="OverdueClaims"', 'table'),
    }).toJson() as object;
    expect(variables.find(({ id }) => id === 'table')).toEqual(written);
  });
});

describe('The dashboards of Grafana', () => {
  it.each([
    ['CloudWatch', grafanaOnCloudWatch],
    ['Prometheus', grafanaOnPrometheus],
  ])('on %s use only variables that they have', (_name, make) => {
    const { templating, panels } = make() as Grafana;
    const names = new Set(templating.list.map(({ name }) => name));
    const used = JSON.stringify([templating, panels]).matchAll(/\$(?!__)(\w+)/g);
    expect([...used].map(([, name = '']) => name).filter((name) => !names.has(name))).toEqual([]);
  });

  it('show every metric of the list that is in CloudWatch', () => {
    const { panels } = grafanaOnCloudWatch() as Grafana;
    const shown = panels.flatMap(({ targets }) => targets.map(({ metricName = '' }) => metricName));
    expect(shown).toEqual(
      expect.arrayContaining(namesOf([...INVOCATION_METRICS, ...MONITOR_METRICS, ...OUTBOX_METRICS])),
    );
  });

  it('name the metrics of openTelemetry() as Prometheus has them', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
    const meterProvider = new MeterProvider({ readers: [reader] });
    const handler = createBatchProcessor(() => Promise.resolve(), {
      store: memoryStore(),
      observer: openTelemetry({ meterProvider }),
    });
    await handler(sqsEvent([{ body: {} }]), lambdaContext());
    await meterProvider.forceFlush();
    const [{ scopeMetrics }] = exporter.getMetrics() as [ReturnType<typeof exporter.getMetrics>[0]];
    const exported = scopeMetrics.flatMap(({ metrics }) =>
      metrics.map(({ descriptor }) => prometheusName(descriptor)),
    );
    await meterProvider.shutdown();
    const queries = (grafanaOnPrometheus() as Grafana).panels.flatMap(({ targets }) =>
      targets.map(({ expr = '' }) => expr),
    );
    const asked = queries.flatMap((query) => /\b((?:messaging|batchlatch)_\w+)\{/.exec(query)?.[1] ?? []);
    expect(asked).toHaveLength(queries.length);
    expect(new Set(asked.map((name) => name.replace(/_(bucket|count)$/, '')))).toEqual(new Set(exported));
  });
});

/** The rules of OpenTelemetry: dots become underscores, seconds are a suffix, a counter is a total. */
function prometheusName({ name, unit }: { readonly name: string; readonly unit: string }): string {
  return `${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : '_total'}`;
}
