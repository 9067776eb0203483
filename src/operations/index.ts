export type {
  ClaimCount,
  ClaimCountQuery,
  ClaimOperation,
  ClaimPage,
  ClaimQuery,
  ClaimReading,
  ClaimState,
  OperableStore,
  OperateOutcome,
  OperationKind,
  RefusalReason,
} from '../claims/operable-store.ts';
export type { KeyOfMessage, ParkedClaimsRead } from './dead-letters/claims-of-messages.ts';
export type { DeadLetterMessage, SentBy } from './dead-letters/dead-letter-message.ts';
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
