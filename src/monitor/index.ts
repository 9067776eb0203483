/**
 * Scheduled functions that count and report claims that hang or are parked, and the rows of an outbox.
 *
 * @module batchlatch/monitor
 */
export { type ClaimMonitor, type ClaimMonitorOptions, createClaimMonitor } from './claim-monitor.ts';
export type { OutboxAdmin } from '../outbox/outbox-admin.ts';
export type { OutboxCounts } from '../outbox/outbox-metrics.ts';
export { createOutboxMonitor, type OutboxMonitor, type OutboxMonitorOptions } from './outbox-monitor.ts';
export type { ClaimMonitorReport } from './report.ts';
