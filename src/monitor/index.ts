export { type ClaimMonitor, type ClaimMonitorOptions, createClaimMonitor } from './claim-monitor.ts';
export type { ClaimMonitorReport } from './report.ts';
