/**
 * A scheduled function that counts and reports claims that hang or are parked.
 *
 * @module batchlatch/monitor
 */
export { type ClaimMonitor, type ClaimMonitorOptions, createClaimMonitor } from './claim-monitor.ts';
export type { ClaimMonitorReport } from './report.ts';
