/** What `ClaimMonitor` deploys: a build bundles this file into `dist/monitor-function`. */
import { type ClaimMonitor, createClaimMonitor } from 'batchlatch/monitor';

/** Counts the claims of the table that the environment names. */
export const handler: ClaimMonitor = createClaimMonitor();
