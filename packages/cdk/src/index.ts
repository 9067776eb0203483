/**
 * AWS CDK constructs: the claims table, a queue with its dead-letter queue and function, the monitor,
 * alarms, and the console for a team. They need `aws-cdk-lib` and `constructs`.
 *
 * @module batchlatch-cdk
 */
export { BatchAlarms, type BatchAlarmsProps } from './batch-alarms.ts';
export { BatchQueue } from './batch-queue.ts';
export type { BatchQueueProps } from './batch-queue-props.ts';
export { ClaimsConsole } from './claims-console.ts';
export type { ClaimsConsoleProps, ConsoleFunctionUrl, ConsoleLoadBalancer } from './claims-console-props.ts';
export { ClaimMonitor, type ClaimMonitorProps } from './claim-monitor.ts';
export { ClaimsTable, type ClaimsTableProps } from './claims-table.ts';
export { Outbox, type OutboxProps } from './outbox.ts';
export { OutboxAlarms, type OutboxAlarmsProps } from './outbox-alarms.ts';
