/**
 * A handler that starts one durable execution of AWS Lambda per record.
 *
 * @module batchlatch/durable
 */
export { ExecutionMismatchError, ExecutionNotStartedError } from './errors.ts';
export { startDurable, type StartDurableOptions } from './start-durable.ts';
