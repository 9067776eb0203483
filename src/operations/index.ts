/**
 * Operations on claims and dead letters for people and tools: find, release, resolve, park and forget claims,
 * copy them to another store, count them, and redrive a dead-letter queue. Also `guardServer`, for local
 * servers that show claims in a browser.
 *
 * @module batchlatch/operations
 */
export type { AdoptOutcome } from '../claims/adoption.ts';
export type { Claim, ClaimStatus, OperatorChange, StoredError } from '../claims/claim.ts';
export { keyHash } from '../base/key-hash.ts';
export {
  type ClaimCount,
  type ClaimCountQuery,
  type ClaimOperation,
  type ClaimPage,
  type ClaimQuery,
  type ClaimReading,
  type ClaimState,
  type ClaimAdmin,
  type OperateOutcome,
  type OperationKind,
  type RefusalReason,
  stateOf,
} from '../claims/claim-admin.ts';
export type { NewerRow } from '../claims/row-format.ts';
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
export { claimStatistics, type StatisticsOptions } from './claim-statistics.ts';
export {
  type ClaimStatistics,
  type ClaimTimes,
  type Distribution,
  distributionOf,
  type StatisticsPeriod,
  timesOf,
} from './claim-tally.ts';
export { type ClaimJson, claimJson } from './claim-json.ts';
export { claimTimeline, type TimelineEvent } from './claim-timeline.ts';
export { type NextStep, nextStepOf, type RedeliverySettings, releasedAt } from './next-step.ts';
export { type PlannedChange, refusalOf } from './refusal.ts';
export { type ClaimSearch, findClaims, type FindOptions } from './find-claims.ts';
export { type ClaimsCopy, copyClaims, type CopyOptions } from './copy-claims.ts';
export { eachClaim, inspectClaim, listClaims, type ListQuery, type ReadOptions } from './list-claims.ts';
export { typeOfKey } from '../messages/message-key.ts';
export { type ParkedKind, parkedKindOf } from './parked-kind.ts';
export type { KeyOfMessage, ParkedClaimsRead } from './dead-letters/claims-of-messages.ts';
export type { DeadLetterMessage, SentBy } from './dead-letters/dead-letter-message.ts';
export type { CommandClient } from '../options/command-client.ts';
export { type DeadLetterLinks, deadLetterLinks } from './dead-letters/destinations.ts';
export type { DeadLetterSqs } from './dead-letters/dead-letter-sqs.ts';
export { type DeadLetterPeek, peekDeadLetters, type PeekOptions } from './dead-letters/peek-dead-letters.ts';
export { processorKey, type ProcessorKeyOptions } from './dead-letters/processor-key.ts';
export { redriveDeadLetters } from './dead-letters/redrive-dead-letters.ts';
export type { RedriveOptions } from './dead-letters/redrive-options.ts';
export type { CompletedMessages, WhyLeft } from './dead-letters/redrive-plan.ts';
export type {
  RedriveProgress,
  RedriveResult,
  RedrivenClaim,
  RedrivenMessage,
} from './dead-letters/redrive-result.ts';
export { isFromForeignPage } from '../guard/own-names.ts';
export { guardServer } from '../guard/guard-server.ts';
export { type OwnNames, ownNames } from '../guard/own-names.ts';
