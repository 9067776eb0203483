import { ConfigurationError } from '../base/errors.ts';
import { aBoolean, checkOptionsOf, objectWith, oneOf } from '../options/check-options.ts';
import { FairGroups } from './fair-groups.ts';
import { levelOf, LEVELS, type LogLevel, shown } from './json-lines.ts';
import type { BatchEvent, Observer } from './observer.ts';
import type { ObservedInvocation } from './observed.ts';
import { type PowertoolsTracer, RunSegments } from './run-segments.ts';
import { segmentRequests } from './request-segments.ts';
import { harmless } from './tell-observer.ts';
import { Totalling } from './totals.ts';

/** The methods used of a `Logger` of `@aws-lambda-powertools/logger`. */
export interface PowertoolsLogger {
  /**
   * Writes a line of the level DEBUG.
   *
   * @param message The name of the event.
   * @param attributes The fields of the line.
   */
  debug(message: string, attributes: Record<string, unknown>): void;
  /**
   * Writes a line of the level INFO.
   *
   * @param message The name of the event.
   * @param attributes The fields of the line.
   */
  info(message: string, attributes: Record<string, unknown>): void;
  /**
   * Writes a line of the level WARN.
   *
   * @param message The name of the event.
   * @param attributes The fields of the line.
   */
  warn(message: string, attributes: Record<string, unknown>): void;
  /**
   * Writes a line of the level ERROR.
   *
   * @param message The name of the event.
   * @param attributes The fields of the line.
   */
  error(message: string, attributes: Record<string, unknown>): void;
  /** Returns the logger's level, such as `INFO`. */
  getLevelName(): string;
}

/** The methods used of a `Metrics` of `@aws-lambda-powertools/metrics`. */
export interface PowertoolsMetrics {
  /**
   * Adds a value. Several values of one name become a list.
   *
   * @param name The metric's name.
   * @param unit The unit.
   * @param value The value.
   */
  addMetric(name: string, unit: 'Count' | 'Milliseconds', value: number): unknown;
  /**
   * Adds a property that is not a metric.
   *
   * @param key The property's name.
   * @param value The value.
   */
  addMetadata(key: string, value: string): unknown;
  /** Writes all added values and clears them. */
  publishStoredMetrics(): unknown;
}

/** The utilities of Powertools that get data; at least one. */
export interface PowertoolsOptions {
  /** Logs each event, with the fields of `jsonLines()`. Default: none. */
  readonly logger?: PowertoolsLogger;
  /** The lowest level that is passed to the logger. Default: the logger's own; `debug` for its log buffer. */
  readonly level?: LogLevel;
  /** Gets the metrics of `emfMetrics()` at the end of a batch, with its own namespace. Default: none. */
  readonly metrics?: PowertoolsMetrics;
  /** Whether to publish `metrics` after a batch. Default true; set false with middy's `logMetrics`. */
  readonly publishMetrics?: boolean;
  /** Gets a subsegment for each call of the handler, current inside the call. Default: none. */
  readonly tracer?: PowertoolsTracer;
}

/**
 * Returns an observer for the logger, metrics and tracer of Powertools for AWS Lambda. Keys are hashed;
 * bodies, stacks and results are never passed on. Throws a `ConfigurationError` for invalid options.
 *
 * @param options The utilities that get data.
 *
 * @example
 * createBatchProcessor(handler, {
 *   observer: powertools({ logger: new Logger(), metrics: new Metrics(), tracer: new Tracer() }),
 * });
 */
export function powertools(options: PowertoolsOptions): Observer {
  checkOptionsOf('powertools', options, {
    logger: objectWith('debug', 'info', 'warn', 'error', 'getLevelName'),
    level: oneOf(...LEVELS),
    metrics: objectWith('addMetric', 'addMetadata', 'publishStoredMetrics'),
    publishMetrics: aBoolean(),
    tracer: objectWith('isTracingEnabled', 'getSegment', 'setSegment'),
  });
  const { logger, level, metrics, publishMetrics = true, tracer } = options;
  if (logger === undefined && metrics === undefined && tracer === undefined) {
    throw new ConfigurationError(
      'powertools: Expected a `logger`, `metrics` or a `tracer`, got none of them',
    );
  }
  const log = logger && logTo(logger, level);
  const count = metrics && countTo(metrics, publishMetrics);
  const trace = tracer && new RunSegments(tracer);
  const told = [trace?.note.bind(trace), log, count].filter((tell) => tell !== undefined);
  return {
    onEvent(event, invocation) {
      // A logger with a formatter that throws must not cost the metrics.
      for (const tell of told) harmless(() => tell(event, invocation));
    },
    ...(tracer !== undefined && { onInvocation: () => segmentRequests(tracer) }),
    ...(trace !== undefined && { aroundHandler: trace.around.bind(trace) }),
  };
}

const ALL_LEVELS: readonly string[] = LEVELS;

type Told = (event: BatchEvent, invocation: ObservedInvocation | undefined) => void;

function logTo(logger: PowertoolsLogger, level: LogLevel | undefined): Told {
  const fairGroups = new FairGroups();
  return (event, invocation) => {
    const eventLevel = levelOf(event);
    const least = level ?? logger.getLevelName().toLowerCase();
    // `trace` is below `debug`, and `critical` above `error`.
    if (least === 'critical' || LEVELS.indexOf(eventLevel) < ALL_LEVELS.indexOf(least)) return;
    const { message, ...fields } = shown(event, invocation) as { readonly message: string };
    const { requestId, functionName, source } = invocation ?? {};
    const groups = fairGroups.fieldOf(event, invocation);
    const line = { requestId, function: functionName, source, ...fields, ...groups };
    harmless(() => logger[eventLevel](message, line)); // of an asynchronous logger, the rejection
  };
}

function countTo(metrics: PowertoolsMetrics, publishes: boolean): Told {
  const totalling = new Totalling(() => Date.now());
  return (event, invocation) => {
    const totals = totalling.note(event, invocation);
    if (totals === undefined) return;
    if (invocation?.requestId !== undefined) metrics.addMetadata('requestId', invocation.requestId);
    for (const [name, count] of Object.entries(totals.counts)) metrics.addMetric(name, 'Count', count);
    for (const [name, values] of Object.entries(totals.durations)) {
      // Powertools collects the values in a list and publishes it at 100 values.
      for (const value of values) metrics.addMetric(name, 'Milliseconds', value);
    }
    if (publishes) harmless(() => metrics.publishStoredMetrics());
  };
}
