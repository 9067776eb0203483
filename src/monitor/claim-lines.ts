import { defined } from '../base/defined.ts';
import { keyHash } from '../base/key-hash.ts';
import type { Claim } from '../claims/claim.ts';
import { escapeUnseen } from '../observe/json-lines.ts';
import { type Reading, unlessStopped } from './stop-before.ts';

/** A store lists in no order, so the oldest are looked for among so many claims for each that is shown. */
const READ_FOR_EACH = 25;
/** And never among more than this. */
const MOST_READ = 1_000;

/** A line for each of the claims that have been in the state for longest, up to `limit`. */
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

/** An overdue claim is overdue since its lease ended; a parked one was written last when it was parked. */
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

/** A line as `jsonLines()` writes it. */
export function logLine(
  at: number,
  level: 'info' | 'warn' | 'error',
  message: string,
  fields: object,
): string {
  return escapeUnseen(JSON.stringify({ timestamp: new Date(at).toISOString(), level, message, ...fields }));
}
