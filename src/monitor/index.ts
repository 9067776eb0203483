/**
 * A scheduled function that counts claims that hang or are parked, and reports them.
 *
 * @module batchlatch/monitor
 */
export { type ClaimMonitor, type ClaimMonitorOptions, createClaimMonitor } from './claim-monitor.ts';
export type { ClaimMonitorReport } from './report.ts';
