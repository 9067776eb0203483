import { type Clock, systemClock } from '../base/clock.ts';
import { aBoolean, aFunction, type Check, checkOptionsOf, objectWith } from '../options/check-options.ts';
import { writeToStandardOutput } from './json-lines.ts';
import type { Observer } from './observer.ts';
import { harmless } from './tell-observer.ts';
import { METRIC_NAMES, type Totals, Totalling, TypeTotalling } from './totals.ts';

/** Options of `emfMetrics()`. */
export interface EmfMetricsOptions {
  /** The CloudWatch namespace, 1 to 255 characters. Default `batchlatch`. */
  readonly namespace?: string;
  /** Up to 27 more dimensions of printable ASCII, such as `{ service: 'orders' }`. Default: none. */
  readonly dimensions?: Readonly<Record<string, string>>;
  /**
   * Whether to write the metrics of `routes()` by type, too, in lines with the dimension `messageType`: each
   * declared type, and `other`. CloudWatch charges for the metrics of each type. Default false.
   */
  readonly messageTypes?: boolean;
  /**
   * Writes a line, given without its line feed. Default: to standard output, which Lambda sends to
   * CloudWatch.
   *
   * @param line JSON text.
   */
  readonly write?: (line: string) => void;
  /** The clock, for tests. Default: the system clock. */
  readonly clock?: Clock;
}

/** The most values in one array of the format. */
const MOST_VALUES = 100;

/** The format's limit of 30, minus `function`, `source` and `messageType`. */
const MOST_DIMENSIONS = 27;

/**
 * Returns an observer that writes metrics in CloudWatch's embedded metric format. Each invocation writes one
 * line at its end with all counts, including zeros, and its durations; more lines follow for more than 100
 * values of a duration. A handler that ends after its invocation writes its own line. A process that dies
 * writes nothing for the invocation. The request ID is a property, not a dimension. Throws a
 * `ConfigurationError` for invalid options.
 *
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 *
 * @param options The namespace, the dimensions and the output.
 *
 * @example
 * createBatchProcessor(handler, { observer: observers(jsonLines(), emfMetrics()) });
 */
export function emfMetrics(options: EmfMetricsOptions = {}): Observer {
  checkOptionsOf('emfMetrics', options, {
    namespace: aNamespaceOfMetrics(),
    dimensions: someDimensions(),
    messageTypes: aBoolean(),
    write: aFunction(),
    clock: objectWith('now'),
  });
  const { namespace = 'batchlatch', dimensions = {}, messageTypes = false } = options;
  const { write = writeToStandardOutput, clock = systemClock } = options;
  const totalling = new Totalling(() => clock.now());
  const byType = messageTypes ? new TypeTotalling(() => clock.now()) : undefined;
  return {
    onEvent(event, invocation) {
      const totals = totalling.note(event, invocation);
      const typed = byType?.note(event, invocation) ?? [];
      if (totals === undefined && typed.length === 0) return;
      const { functionName = 'unknown', source = 'unknown' } = invocation ?? {};
      const subject: Readonly<Record<string, string>> = {
        ...dimensions,
        function: dimensionOf(functionName),
        source: dimensionOf(source),
      };
      const all = totals === undefined ? [] : [{ dimensions: subject, totals }];
      for (const [messageType, some] of typed) {
        all.push({ dimensions: { ...subject, messageType: dimensionOf(messageType) }, totals: some });
      }
      for (const one of all) {
        for (const part of parts(one.totals)) {
          const line = lineOf(part, one.dimensions, namespace, clock.now(), invocation?.requestId);
          harmless(() => write(line));
        }
      }
    },
  };
}

type Metrics = Readonly<Record<string, number | readonly number[]>>;

/** Splits totals into lines: the counts in the first one, and 100 values of each duration in every line. */
function* parts({ counts, durations }: Totals): Generator<Metrics> {
  const lists = Object.entries(durations);
  const most = Math.max(0, ...lists.map(([, values]) => values.length));
  for (let from = 0; from === 0 || from < most; from += MOST_VALUES) {
    const slices = lists.map(([name, values]) => [name, values.slice(from, from + MOST_VALUES)] as const);
    yield {
      ...(from === 0 && counts),
      ...Object.fromEntries(slices.filter(([, values]) => values.length > 0)),
    };
  }
}

function lineOf(
  metrics: Metrics,
  dimensions: Readonly<Record<string, string>>,
  namespace: string,
  now: number,
  requestId: string | undefined,
): string {
  const definitions = Object.entries(metrics).map(([name, value]) => ({
    Name: name,
    Unit: Array.isArray(value) ? 'Milliseconds' : 'Count',
  }));
  const directive = { Namespace: namespace, Dimensions: [Object.keys(dimensions)], Metrics: definitions };
  const metadata = { Timestamp: Math.trunc(now), CloudWatchMetrics: [directive] };
  return JSON.stringify({ _aws: metadata, ...dimensions, requestId, ...metrics });
}

const LONGEST_VALUE = 1_024;

/** Returns a name as CloudWatch takes it for a dimension's value; with others it drops all metrics. */
function dimensionOf(name: string): string {
  const value = name.slice(0, LONGEST_VALUE).replaceAll(/^:|[^\x20-\x7E]/gu, '_');
  return value.trim() === '' ? 'unknown' : value;
}

function aNamespaceOfMetrics(): Check {
  return {
    expected:
      'a text of 1 to 255 of the characters A-Z a-z 0-9 . - _ / # : and space, not beginning with AWS/ or :',
    accepts: (value) =>
      typeof value === 'string' && /^(?!AWS\/|:)[\w.\-/#: ]{1,255}$/.test(value) && value.trim() !== '',
  };
}

const TAKEN: ReadonlySet<string> = new Set([
  'function',
  'source',
  'messageType',
  'requestId',
  '_aws',
  ...METRIC_NAMES,
]);

function someDimensions(): Check {
  const isText = (value: unknown, most: number): boolean =>
    typeof value === 'string' &&
    value.length <= most &&
    /^(?!:)[\x20-\x7E]*[\x21-\x7E][\x20-\x7E]*$/.test(value);
  return {
    expected:
      `an object of up to ${MOST_DIMENSIONS} dimensions, their values texts of visible ASCII characters, ` +
      `with other names than ${[...TAKEN].join(', ')}`,
    accepts: (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.keys(value).length <= MOST_DIMENSIONS &&
      Object.entries(value).every(
        ([name, text]) => isText(name, 250) && !TAKEN.has(name) && isText(text, LONGEST_VALUE),
      ),
  };
}
