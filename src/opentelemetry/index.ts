/**
 * An observer that makes spans and metrics of OpenTelemetry. It needs `@opentelemetry/api`.
 *
 * @module batchlatch/opentelemetry
 */
export { openTelemetry, type OpenTelemetryOptions } from './open-telemetry.ts';
