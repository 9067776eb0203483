/**
 * OpenTelemetry spans and metrics. Needs `@opentelemetry/api`.
 *
 * @module batchlatch/opentelemetry
 */
export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts';
export type { TraceHeaders } from '../messages/trace-headers.ts';
export { traceContext } from './trace-context.ts';
