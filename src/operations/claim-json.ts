import type { Claim, OperatorChange, StoredError } from '../claims/claim.ts';
import { keyHash } from '../base/key-hash.ts';
import { type ClaimState, stateOf } from '../claims/claim-admin.ts';
import { isoTime } from './iso-time.ts';
import { changesOf } from './claim-history.ts';

/** A claim as `--json` prints it. Times are ISO 8601; what a claim does not have is left out. */
export interface ClaimJson {
  readonly key: string;
  readonly keyHash: string;
  readonly status: Claim['status'];
  readonly state: ClaimState;
  readonly attempt: number;
  readonly releases: number;
  readonly crashes: number;
  readonly owner: string;
  readonly createdAt?: string;
  readonly claimedAt?: string;
  readonly updatedAt?: string;
  readonly completedAt?: string;
  readonly leaseUntil?: string;
  readonly expiresAt?: string;
  readonly recordId?: string;
  readonly lockedBy?: string;
  readonly payloadHash?: string;
  readonly error?: StoredError;
  /** Whether a result is stored. */
  readonly hasResult: boolean;
  /** With `--show-result`: what is stored, or its text where that is no JSON. */
  readonly result?: unknown;
  readonly history: readonly (Omit<OperatorChange, 'at'> & { readonly at: string | null })[];
}

/** What `--json` prints of a claim. */
export function claimJson(
  claim: Claim,
  now: number,
  { showResult = false }: { readonly showResult?: boolean } = {},
): ClaimJson {
  const { key, status, attempt, releases, crashes, owner, result } = claim;
  const { recordId, lockedBy, payloadHash, error } = claim;
  const times = {
    createdAt: isoTime(claim.createdAt),
    claimedAt: isoTime(claim.claimedAt ?? claim.createdAt),
    updatedAt: isoTime(claim.updatedAt),
    completedAt: isoTime(claim.completedAt),
    leaseUntil: isoTime(claim.leaseUntil),
    expiresAt: isoTime(claim.expiresAt),
  };
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
    ...times,
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
