import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createClaimMonitor } from 'batchlatch/monitor';
import { memoryStore } from 'batchlatch/memory';
import { METRIC_NAMES } from '../../src/observe/totals.ts';
import { at, everyMember, membersOf, readTemplate, resourcesOf } from './read-template.ts';

const template = readTemplate();
const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm');
const resources = membersOf(template, 'Resources');

/** What there is to be seen of each namespace, and by which dimensions. */
const METRICS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'AWS/Lambda': {
    FunctionName: ['Invocations', 'Errors', 'Throttles', 'Duration', 'ConcurrentExecutions'],
    // With `MetricsConfig: { Metrics: [EventCount] }` of the mapping.
    EventSourceMappingUUID: [
      'PolledEventCount',
      'FilteredOutEventCount',
      'InvokedEventCount',
      'FailedInvokeEventCount',
      'DroppedEventCount',
      'OnFailureDestinationDeliveredEventCount',
      'DeletedEventCount',
    ],
  },
  'AWS/SQS': {
    QueueName: [
      'ApproximateNumberOfMessagesVisible',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateAgeOfOldestMessage',
    ],
  },
  'AWS/DynamoDB': { TableName: ['ConsumedWriteCapacityUnits', 'WriteThrottleEvents'] },
  batchlatch: {
    table: await metricsOfTheMonitor(),
    'function,source': METRIC_NAMES,
  },
};

/** As the monitor writes them. */
async function metricsOfTheMonitor(): Promise<string[]> {
  const lines: string[] = [];
  const reading = { readBy: 'index', rowsRead: 0 } as const;
  const store = {
    ...memoryStore(),
    count: async () => ({ count: 0, ...reading }),
    list: async () => ({ claims: [], ...reading }),
    change: async () => [],
  };
  await createClaimMonitor({ admin: store, write: (line) => lines.push(line) })();
  const [directive] = at(JSON.parse(lines[0] ?? ''), '_aws', 'CloudWatchMetrics') as unknown[];
  expect(at(directive, 'Namespace')).toBe('batchlatch');
  expect(at(directive, 'Dimensions')).toEqual([['table']]);
  return (at(directive, 'Metrics') as { Name: string }[]).map(({ Name }) => Name);
}

function expectMetric(namespace: string, name: string, dimensions: readonly string[]): void {
  expect(METRICS[namespace]?.[dimensions.join()] ?? []).toContain(name);
}

describe('the alarms', () => {
  it('are those that an operator needs', () => {
    expect(alarms.map(([name]) => name)).toEqual([
      'OverdueClaimsAlarm',
      'ParkedClaimsAlarm',
      'OutcomeUnknownAlarm',
      'OrdersDeadLettersAlarm',
      'OrderPlacedDeadLettersAlarm',
      'OrdersAgeAlarm',
      'OrdersErrorsAlarm',
      'OrderPlacedErrorsAlarm',
      'ClaimMonitorErrorsAlarm',
      'ThrottlesAlarm',
      'OrdersUnfinishedAlarm',
    ]);
  });

  it.each(alarms)('%s tells the topic, and of an end too', (_name, properties) => {
    expect(properties).toMatchObject({
      AlarmActions: [{ Ref: 'AlarmTopic' }],
      OKActions: [{ Ref: 'AlarmTopic' }],
      AlarmDescription: expect.stringMatching(/\.$/),
      TreatMissingData: expect.any(String),
    });
  });

  it.each(alarms)('%s looks at metrics that there are, of resources of the template', (_name, properties) => {
    const looked = [properties, ...everyMember(properties, 'Metric')].filter(
      (one) => typeof one === 'object' && one !== null && 'MetricName' in one,
    );
    expect(looked).not.toEqual([]);
    for (const metric of looked) {
      const dimensions = at(metric, 'Dimensions') as { Name: string; Value: unknown }[];
      expectMetric(
        String(at(metric, 'Namespace')),
        String(at(metric, 'MetricName')),
        dimensions.map(({ Name }) => Name),
      );
      for (const { Value } of dimensions) {
        if (typeof Value === 'string') expect(Value).toBe('sqs');
        else expect(resources).toHaveProperty(String([Object.values(Value as object)[0]].flat()[0]));
      }
    }
  });

  it.each(alarms)('%s computes with all of its metrics', (_name, { Metrics = [] }) => {
    const metrics = Metrics as { Id: string; Expression?: string }[];
    const expression = metrics.find((one) => one.Expression !== undefined)?.Expression ?? '';
    const named = [...expression.matchAll(/FILL\((\w+), 0\)/g)].map(([, id]) => id);
    expect(named).toEqual(metrics.filter((one) => one.Expression === undefined).map(({ Id }) => Id));
  });

  it('tells it when the monitor does not run: it writes 0 as well', () => {
    expect(at(template, 'Resources', 'OverdueClaimsAlarm', 'Properties')).toMatchObject({
      TreatMissingData: 'missing',
      InsufficientDataActions: [{ Ref: 'AlarmTopic' }],
    });
  });

  it('may publish to a topic that only they of this account may publish to', () => {
    expect(at(template, 'Resources', 'AlarmTopicPolicy', 'Properties')).toMatchObject({
      Topics: [{ Ref: 'AlarmTopic' }],
      PolicyDocument: {
        Statement: expect.arrayContaining([
          expect.objectContaining({
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: 'sns:Publish',
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ]),
      },
    });
  });

  it('are described, each with what to do, in docs/deploying.md', () => {
    const page = readFileSync('docs/deploying.md', 'utf8');
    for (const [name] of alarms) expect(page).toContain(`| \`${name}\` |`);
  });
});

describe('the dashboard', () => {
  const body = String(at(template, 'Resources', 'Dashboard', 'Properties', 'DashboardBody', 'Fn::Sub'));
  const { widgets } = JSON.parse(body) as {
    widgets: { type: string; x: number; y: number; width: number; height: number; properties: object }[];
  };

  it('refers to what the template has', () => {
    // SAM makes the event source mapping, named after the function and the event.
    const known = new Set([...Object.keys(resources), 'OrdersFunctionOrders', 'AWS::Region']);
    const named = [...body.matchAll(/\$\{([\w:]+)(?:\.\w+)?\}/g)].map(([, name]) => name);
    expect(named.filter((name) => !known.has(name ?? ''))).toEqual([]);
  });

  it('shows metrics that there are', () => {
    const metrics = everyMember({ widgets }, 'metrics').flat() as unknown[][];
    expect(metrics.length).toBeGreaterThan(30);
    for (const [namespace, name, ...rest] of metrics) {
      const dimensions = rest.filter((one) => typeof one === 'string').filter((_, index) => index % 2 === 0);
      expectMetric(String(namespace), String(name), dimensions);
    }
  });

  it('shows every alarm', () => {
    for (const [name] of alarms) expect(body).toContain(`"\${${name}.Arn}"`);
  });

  it('fits its grid, with no widget over another', () => {
    const cells = widgets.flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, n) => `${x + (n % width)},${y + Math.floor(n / width)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(widgets.every(({ x, width }) => x + width <= 24)).toBe(true);
  });
});
