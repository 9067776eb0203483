import { defined } from '../base/defined.ts';
import { keyHash } from '../base/key-hash.ts';
import type { Claim } from '../claims/claim.ts';
import { logLine } from '../observe/log-line.ts';
import { parkedKindOf } from '../operations/parked-kind.ts';
import { type Reading, unlessStopped } from './unless-stopped.ts';

/** Stores list claims in no order, so this many are read for each line, to find the oldest. */
const READ_FOR_EACH = 25;
const MOST_READ = 1_000;
const PAGE = 100;

interface LineOptions {
  readonly limit: number;
  readonly logKeys: boolean;
}

/** Returns a log line for each of the oldest overdue claims, up to `limit`. */
export async function overdueLines(reading: Reading, options: LineOptions): Promise<string[]> {
  const most = Math.min(options.limit * READ_FOR_EACH, MOST_READ);
  const { claims } = await readClaims('overdue', reading, most);
  return linesOf(claims, reading.clock.now(), options);
}

/** Returns a log line for each of the oldest claims, up to `limit`. */
export function linesOf(claims: readonly Claim[], now: number, { limit, logKeys }: LineOptions): string[] {
  const oldestFirst = claims.toSorted((one, other) => sinceOf(one) - sinceOf(other));
  return oldestFirst.slice(0, limit).map((claim) => lineOf(claim, now, logKeys));
}

/** Reads up to `most` claims. `isWhole` is false if there may be more. */
export async function readClaims(
  state: 'overdue' | 'parked',
  reading: Reading,
  most: number,
): Promise<{ readonly claims: readonly Claim[]; readonly isWhole: boolean }> {
  const claims: Claim[] = [];
  let cursor: string | undefined;
  do {
    const query = defined({ state, limit: Math.min(most - claims.length, PAGE), cursor });
    const page = await unlessStopped(reading, (signal) => reading.admin.list(query, { signal }));
    if (page === undefined) return { claims, isWhole: false };
    claims.push(...page.claims);
    cursor = page.next;
  } while (cursor !== undefined && claims.length < most);
  return { claims, isWhole: cursor === undefined };
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
    parkedKind: parkedKindOf(claim),
    attempt,
    owner,
    lockedBy,
    forMs: Math.max(now - sinceOf(claim), 0),
    error,
  });
}
