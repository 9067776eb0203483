import { Ajv } from 'ajv';

/**
 * The rules of CloudWatch's embedded metric format, from
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html:
 * what the JSON schema at its end demands, and below what only its text does.
 */
const schema = {
  type: 'object',
  required: ['_aws'],
  properties: {
    _aws: {
      type: 'object',
      required: ['Timestamp', 'CloudWatchMetrics'],
      properties: {
        Timestamp: { type: 'integer' },
        CloudWatchMetrics: { type: 'array', items: { $ref: '#/definitions/directive' } },
      },
    },
  },
  definitions: {
    directive: {
      type: 'object',
      required: ['Namespace', 'Dimensions', 'Metrics'],
      properties: {
        Namespace: { type: 'string', minLength: 1, maxLength: 1_024, pattern: '^(.*)$' },
        Dimensions: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'array',
            maxItems: 30,
            items: { type: 'string', minLength: 1, maxLength: 250, pattern: '^(.*)$' },
          },
        },
        Metrics: { type: 'array', items: { $ref: '#/definitions/metric' } },
      },
    },
    metric: {
      type: 'object',
      required: ['Name'],
      properties: {
        Name: { type: 'string', minLength: 1, maxLength: 1_024, pattern: '^(.*)$' },
        Unit: { enum: unitsOf() },
        StorageResolution: { type: 'integer' },
      },
    },
  },
};

function unitsOf(): string[] {
  const sizes = ['Bytes', 'Bits'].flatMap((unit) =>
    ['', 'Kilo', 'Mega', 'Giga', 'Tera'].map((prefix) =>
      prefix === '' ? unit : prefix + unit.toLowerCase(),
    ),
  );
  const rates = [...sizes, 'Count'].map((unit) => `${unit}/Second`);
  return ['Seconds', 'Microseconds', 'Milliseconds', ...sizes, ...rates, 'Percent', 'Count', 'None'];
}

const validate = new Ajv().compile(schema);

export interface EmfLine {
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit?: string }[];
    }[];
  };
  readonly [member: string]: unknown;
}

/** What is wrong with a line as the format has it; none: it is right. */
export function emfProblems(text: string): string[] {
  const line = JSON.parse(text) as EmfLine;
  if (!validate(line))
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  const problems: string[] = [];
  if (text.length > 256 * 1_024) problems.push('longer than a log event may be');
  for (const { Dimensions, Metrics } of line._aws.CloudWatchMetrics) {
    if (Metrics.length > 100) problems.push('more than 100 metrics');
    for (const name of Dimensions.flat()) {
      const value = line[name];
      // https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_Dimension.html
      const isRight = typeof value === 'string' && /^(?=.*\S)(?!:)[\x20-\x7E]{1,1024}$/.test(value);
      if (!isRight) problems.push(`dimension ${name}`);
    }
    for (const { Name } of Metrics) {
      const values = [line[Name]].flat();
      if (values.length === 0 || values.length > 100) problems.push(`${values.length} values of ${Name}`);
      if (!values.every((value) => typeof value === 'number')) problems.push(`${Name} is no number`);
    }
  }
  return problems;
}
