import { type Panel, PANELS, PLACES } from './panels.ts';

const [WIDTH, HEIGHT, COLUMNS] = [8, 6, 3] as const;

/**
 * Values of the variables until somebody chooses. A variable replaces its pattern in the whole body, so each
 * pattern is a text that nothing else contains.
 */
const VARIABLES = {
  region: { label: 'Region', pattern: 'REGION_OF_DASHBOARD' },
  function: { label: 'Function', pattern: 'FUNCTION_OF_DASHBOARD' },
  source: { label: 'Source', pattern: 'SOURCE_OF_DASHBOARD' },
  table: { label: 'Claims table', pattern: 'TABLE_OF_DASHBOARD' },
  outbox: { label: 'Outbox', pattern: 'OUTBOX_OF_DASHBOARD' },
  queue: { label: 'Queue', pattern: 'QUEUE_OF_DASHBOARD' },
  dead_letter_queue: { label: 'Dead-letter queue', pattern: 'DEAD_LETTERS_OF_DASHBOARD' },
} as const;
type Variable = keyof typeof VARIABLES;

/** Where the values of a variable come from, if not from the person. */
const SEARCHES: Partial<Record<Variable, { readonly search: string; readonly populateFrom: string }>> = {
  function: { search: '{batchlatch,function,source} MetricName="Started"', populateFrom: 'function' },
  source: { search: '{batchlatch,function,source} MetricName="Started"', populateFrom: 'source' },
  table: { search: '{batchlatch,table} MetricName="OverdueClaims"', populateFrom: 'table' },
  outbox: { search: '{batchlatch,table} MetricName="WaitingOutboxRows"', populateFrom: 'table' },
  queue: {
    search: '{AWS/SQS,QueueName} MetricName="ApproximateNumberOfMessagesVisible"',
    populateFrom: 'QueueName',
  },
  dead_letter_queue: {
    search: '{AWS/SQS,QueueName} MetricName="ApproximateNumberOfMessagesVisible"',
    populateFrom: 'QueueName',
  },
};

/**
 * Returns the body of a CloudWatch dashboard, for `aws cloudwatch put-dashboard` and for the console's source
 * editor.
 *
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
 */
export function cloudWatchDashboard(): object {
  return {
    variables: (Object.keys(VARIABLES) as Variable[]).map(variableOf),
    widgets: PANELS.map((panel, index) => ({
      type: 'metric',
      x: (index % COLUMNS) * WIDTH,
      y: Math.floor(index / COLUMNS) * HEIGHT,
      width: WIDTH,
      height: HEIGHT,
      properties: {
        title: panel.title,
        region: VARIABLES.region.pattern,
        stat: panel.statistic,
        period: panel.of === 'table' ? 300 : 60,
        view: 'timeSeries',
        metrics: panel.metrics.map((name) => [...pathOf(panel, name)]),
        yAxis: { left: { label: panel.unit, showUnits: false, min: 0 } },
      },
    })),
  };
}

function variableOf(id: Variable): object {
  const { label, pattern } = VARIABLES[id];
  const search = SEARCHES[id];
  return {
    type: 'pattern',
    pattern,
    id,
    label,
    visible: true,
    ...(search === undefined
      ? { inputType: 'input', defaultValue: 'us-east-1' }
      : { inputType: 'select', defaultValue: '__FIRST', ...search }),
  };
}

function* pathOf({ of }: Panel, metric: string): Generator<string> {
  const { namespace, dimensions } = PLACES[of];
  yield namespace;
  yield metric;
  for (const [name, value] of Object.entries(dimensions)) {
    yield name;
    yield VARIABLES[value.slice(1) as Variable].pattern;
  }
}
