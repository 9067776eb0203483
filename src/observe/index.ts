/**
 * Observers: log lines, CloudWatch metrics, Powertools' logger, metrics and tracer, `diagnostics_channel`.
 *
 * @module batchlatch/observe
 */
export { diagnosticsChannel, type DiagnosticsMessages } from './diagnostics-channel.ts';
export { emfMetrics, type EmfMetricsOptions } from './emf-metrics.ts';
export { jsonLines, type JsonLinesOptions, type LogLevel } from './json-lines.ts';
export type {
  BatchEvent,
  NotStartedReason,
  ObservedAttempt,
  ObservedKey,
  Observer,
  SettlingEnd,
} from './observer.ts';
export type { ObservedInvocation, ObservedRecord } from './observed.ts';
export { observers } from './observers.ts';
export {
  powertools,
  type PowertoolsLogger,
  type PowertoolsMetrics,
  type PowertoolsOptions,
} from './powertools.ts';
export type { PowertoolsTracer, TracerSegment } from './run-segments.ts';
