import { bounded, type Limit } from '../base/bounded.ts';
import type { Clock } from '../base/clock.ts';
import { ADMIN_CALL_MS } from '../base/limits.ts';
import type { ClaimAdmin } from './claim-admin.ts';
import { unansweredByStore } from './store-errors.ts';

const CALL: Limit = { ms: ADMIN_CALL_MS, signalAt: 1, signalIn: 'signal' };
const LIMITS = { list: CALL, count: CALL, read: CALL, change: CALL, adopt: CALL };

/** Wraps an admin so that every call ends, if need be with a retryable error (`BATCHLATCH_STORE_SILENT`). */
export function boundedAdmin(admin: ClaimAdmin, clock: Clock): ClaimAdmin {
  const { requestSize } = admin;
  return {
    ...(requestSize !== undefined && { requestSize }),
    ...bounded(admin, LIMITS, unansweredByStore, clock),
  };
}
