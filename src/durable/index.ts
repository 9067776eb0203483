/**
 * A handler that starts a durable execution of AWS Lambda for each record.
 *
 * @module batchlatch/durable
 */
export { ExecutionMismatchError, ExecutionNotStartedError } from './errors.ts';
export { startDurable, type StartDurableOptions } from './start-durable.ts';
