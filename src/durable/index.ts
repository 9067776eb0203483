export { ExecutionMismatchError, ExecutionNotStartedError } from './errors.ts';
export { startDurable, type StartDurableOptions } from './start-durable.ts';
