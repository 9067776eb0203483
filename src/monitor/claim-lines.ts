import { defined } from '../base/defined.ts';
import { keyHash } from '../base/key-hash.ts';
import type { Claim } from '../claims/claim.ts';
import { escapeUnseen } from '../observe/json-lines.ts';
import { type Reading, unlessStopped } from './stop-before.ts';

/** Stores list claims in no order, so this many are read for each line, to find the oldest. */
const READ_FOR_EACH = 25;
const MOST_READ = 1_000;

/** Returns a log line for each of the oldest claims of the state, up to `limit`. */
export async function listClaims(
  state: 'overdue' | 'parked',
  reading: Reading,
  { limit, logKeys }: { readonly limit: number; readonly logKeys: boolean },
): Promise<string[]> {
  const claims = await readClaims(state, reading, Math.min(limit * READ_FOR_EACH, MOST_READ));
  const now = reading.clock.now();
  const oldestFirst = claims.toSorted((one, other) => sinceOf(one) - sinceOf(other));
  return oldestFirst.slice(0, limit).map((claim) => lineOf(claim, now, logKeys));
}

async function readClaims(state: 'overdue' | 'parked', reading: Reading, most: number): Promise<Claim[]> {
  const claims: Claim[] = [];
  let cursor: string | undefined;
  do {
    const query = defined({ state, limit: Math.min(most - claims.length, 100), cursor });
    const page = await unlessStopped(reading, (signal) => reading.admin.list(query, { signal }));
    if (page === undefined) break;
    claims.push(...page.claims);
    cursor = page.next;
  } while (cursor !== undefined && claims.length < most);
  return claims;
}

/** Returns when a claim became overdue, or was parked, which was its last write. */
function sinceOf({ status, leaseUntil, updatedAt }: Claim): number {
  return status === 'PARKED' ? updatedAt : leaseUntil;
}

function lineOf(claim: Claim, now: number, logKeys: boolean): string {
  const { key, status, attempt, owner, lockedBy, recordId, error } = claim;
  const message = status === 'PARKED' ? 'parkedClaim' : 'overdueClaim';
  return logLine(now, status === 'PARKED' ? 'error' : 'warn', message, {
    key: keyHash(key),
    ...(logKeys && { idempotencyKey: key }),
    recordId,
    status,
    attempt,
    owner,
    lockedBy,
    forMs: Math.max(now - sinceOf(claim), 0),
    error,
  });
}

/** Returns a log line in the form of `jsonLines()`. */
export function logLine(
  at: number,
  level: 'info' | 'warn' | 'error',
  message: string,
  fields: object,
): string {
  return escapeUnseen(JSON.stringify({ timestamp: new Date(at).toISOString(), level, message, ...fields }));
}
