/** The function that `ClaimMonitor` deploys. The build bundles this file into `dist/monitor-function`. */
import { type ClaimMonitor, createClaimMonitor } from 'batchlatch/monitor';

/** Counts the claims in the table of `CLAIMS_TABLE_NAME`. */
export const handler: ClaimMonitor = createClaimMonitor();
