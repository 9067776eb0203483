import { keyHash } from '../base/key-hash.ts';
import { type ClaimState, stateOf } from '../claims/claim-admin.ts';
import type { Claim, OperatorChange } from '../claims/claim.ts';
import { changesOf } from './claim-timeline.ts';

/** A claim as JSON for people and programs: times are ISO 8601, and what a claim does not have is left out. */
export interface ClaimJson extends Pick<
  Claim,
  | 'key'
  | 'status'
  | 'owner'
  | 'attempt'
  | 'releases'
  | 'crashes'
  | 'recordId'
  | 'lockedBy'
  | 'payloadHash'
  | 'error'
> {
  /** The hash that logs have in place of the key. */
  readonly keyHash: string;
  /** How it stands now. */
  readonly state: ClaimState;
  /** When its first attempt claimed it. */
  readonly createdAt?: string;
  /** When its latest attempt claimed it. */
  readonly claimedAt?: string;
  /** When it was written last. */
  readonly updatedAt?: string;
  /** When it was completed. */
  readonly completedAt?: string;
  /** Until when its latest attempt has it for itself. */
  readonly leaseUntil?: string;
  /** Until when it is remembered. */
  readonly expiresAt?: string;
  /** Whether a result is stored. */
  readonly hasResult: boolean;
  /** With `showResult`: the result, or its text where that is no JSON. */
  readonly result?: unknown;
  /** What people did to it, oldest first. */
  readonly history: readonly (Omit<OperatorChange, 'at'> & {
    /** When it was done; null where the row does not tell. */
    readonly at: string | null;
  })[];
}

/**
 * Returns a claim as JSON, as `npx batchlatch claims show --json` prints it.
 *
 * @param claim A claim as it was read.
 * @param now In epoch milliseconds.
 * @param options `showResult`: with the stored result. Default false.
 */
export function claimJson(
  claim: Claim,
  now: number,
  { showResult = false }: { readonly showResult?: boolean } = {},
): ClaimJson {
  const { key, status, attempt, releases, crashes, owner, result } = claim;
  const { recordId, lockedBy, payloadHash, error } = claim;
  // Undefined members are no part of JSON.
  return {
    key,
    keyHash: keyHash(key),
    status,
    state: stateOf(claim, now),
    attempt,
    releases,
    crashes,
    owner,
    createdAt: isoTime(claim.createdAt),
    claimedAt: isoTime(claim.claimedAt ?? claim.createdAt),
    updatedAt: isoTime(claim.updatedAt),
    completedAt: isoTime(claim.completedAt),
    leaseUntil: isoTime(claim.leaseUntil),
    expiresAt: isoTime(claim.expiresAt),
    recordId,
    lockedBy,
    payloadHash,
    error,
    hasResult: result !== undefined,
    ...(showResult && result !== undefined && { result: parsed(result) }),
    history: changesOf(claim).map((change) => ({ ...change, at: isoTime(change.at) ?? null })),
  } as ClaimJson;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

/** A time in epoch milliseconds as ISO 8601, or undefined for what is no time: rows may be damaged. */
function isoTime(time: number | undefined): string | undefined {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
