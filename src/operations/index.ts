export type { Claim, ClaimStatus, OperatorChange, StoredError } from '../claims/claim.ts';
export { keyHash } from '../claims/key-hash.ts';
export {
  type ClaimCount,
  type ClaimCountQuery,
  type ClaimOperation,
  type ClaimPage,
  type ClaimQuery,
  type ClaimReading,
  type ClaimState,
  isOperable,
  type OperableStore,
  type OperateOutcome,
  type OperationKind,
  type RefusalReason,
  stateOf,
} from '../claims/operable-store.ts';
export {
  type ChangeOptions,
  type ClaimsChange,
  forgetClaim,
  operateOnClaims,
  parkClaim,
  releaseClaim,
  type ResolveOptions,
  resolveClaim,
  type SeenClaim,
} from './change-claims.ts';
export {
  type ClaimStatistics,
  claimStatistics,
  type Distribution,
  type StatisticsOptions,
} from './claim-statistics.ts';
export { type ClaimSearch, findClaims, type FindOptions } from './find-claims.ts';
export { eachClaim, inspectClaim, listClaims, type ReadOptions } from './list-claims.ts';
