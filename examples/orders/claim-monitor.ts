import { type ClaimMonitor, createClaimMonitor } from 'batchlatch/monitor';

/** Counts the claims of CLAIMS_TABLE_NAME that hang or wait for a person, every few minutes. */
export const handler: ClaimMonitor = createClaimMonitor();
