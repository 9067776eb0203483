import { isoTime } from '../base/clock.ts';
import { keyHash } from '../base/key-hash.ts';
import { type ClaimState, stateOf } from '../claims/claim-admin.ts';
import type { Claim, OperatorChange } from '../claims/claim.ts';
import { typeOfKey } from '../messages/message-key.ts';
import { changesOf } from './claim-timeline.ts';
import { releasedAt } from './next-step.ts';
import { type ParkedKind, parkedKindOf } from './parked-kind.ts';

/** A claim as JSON. Times are ISO 8601 strings; members that the claim lacks are left out. */
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
  /** The hash that logs show instead of the key. */
  readonly keyHash: string;
  /** The type of its message, if the key holds one. It may be any text. */
  readonly type?: string;
  /** The state of the claim now. */
  readonly state: ClaimState;
  /** Why it is parked, if it is. */
  readonly parkedKind?: ParkedKind;
  /** When a person released it, if no attempt has claimed it since. */
  readonly releasedAt?: string;
  /** When the first attempt claimed the key. */
  readonly createdAt?: string;
  /** When the latest attempt claimed the key. */
  readonly claimedAt?: string;
  /** When the row was last written. */
  readonly updatedAt?: string;
  /** When the claim was completed. */
  readonly completedAt?: string;
  /** When the lease of the latest attempt ends. */
  readonly leaseUntil?: string;
  /** When the row expires. */
  readonly expiresAt?: string;
  /** Whether a result is stored. */
  readonly hasResult: boolean;
  /** The result, with `showResult` only; as a string if the stored text is not JSON. */
  readonly result?: unknown;
  /** The changes that people made, oldest first. */
  readonly history: readonly (Omit<OperatorChange, 'at'> & {
    /** When the change was made; null if the row does not say. */
    readonly at: string | null;
  })[];
}

/**
 * Returns a claim as JSON, as `npx batchlatch claims show --json` prints it.
 *
 * @param claim A claim as the store returned it.
 * @param now The current time, in epoch milliseconds.
 * @param options `showResult`: whether to include the stored result. Default false.
 */
export function claimJson(
  claim: Claim,
  now: number,
  { showResult = false }: { readonly showResult?: boolean } = {},
): ClaimJson {
  const { key, status, attempt, releases, crashes, owner, result } = claim;
  const { recordId, lockedBy, payloadHash, error } = claim;
  // JSON leaves out members that are undefined.
  return {
    key,
    keyHash: keyHash(key),
    type: typeOfKey(key),
    status,
    state: stateOf(claim, now),
    parkedKind: parkedKindOf(claim),
    releasedAt: isoTime(releasedAt(claim)),
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
