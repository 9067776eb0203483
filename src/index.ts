export { createBatchProcessor, type BatchProcessor } from './create-batch-processor.ts';
export type { BatchHandler, BatchItem } from './batch/batch-handler.ts';
export type { BatchProcessorOptions, HeartbeatOptions, VisibilityOptions } from './batch/options.ts';
export type { RecordContext, RecordHandler } from './batch/record-handler.ts';
export type { BatchResponse } from './batch/response.ts';
export type { RecordOutcome } from './batch/outcomes.ts';
export {
  BatchAnswerError,
  CommitNotAllowedError,
  CompletionNotStoredError,
  DeadlineError,
  InterruptedError,
  InvalidBodyError,
  LapsedLeaseError,
  LeaseLostError,
  MismatchError,
  NotReadError,
  PermanentError,
  ReadingKillsError,
  RecordTimeoutError,
  RedeliverError,
  RetryLaterError,
  SchemaFailedError,
  TooManyAttemptsError,
  TooManyCrashesError,
  UnnamedRecordError,
} from './batch/errors.ts';
export type { BodyIssue } from './batch/schema-issues.ts';
export type {
  AcquireOutcome,
  ClaimRequest,
  ClaimStore,
  Completion,
  LeaseExtension,
  SettleOutcome,
  Settlement,
  StoreCallOptions,
} from './claims/claim-store.ts';
export type { Claim, ClaimStatus, StoredError } from './claims/claim.ts';
export type { AttemptContext, AttemptHandle } from './claims/attempt-handle.ts';
export type { CommitOutcome } from './claims/commit.ts';
export type { Clock } from './claims/clock.ts';
export type { CompletionCacheOptions } from './claims/completion-cache.ts';
export { BatchlatchError, ConfigurationError, StoreError } from './claims/errors.ts';
export type { ResultStorage } from './claims/result-storage.ts';
export type { RetentionMs } from './claims/retention.ts';
export { KeyError } from './keys/errors.ts';
export { type KeySelector, wholeKey } from './keys/key-selector.ts';
export { messageId } from './keys/message-id.ts';
export { payloadHash, type PayloadHashOptions } from './keys/payload-hash.ts';
export { jsonLines, type JsonLinesOptions, type LogLevel } from './observe/json-lines.ts';
export type {
  BatchEvent,
  NotStartedReason,
  ObservedInvocation,
  Observer,
  SettlingEnd,
} from './observe/observer.ts';
export type { SqsClient } from './queues/sqs-client.ts';
export { base64, type Base64Options } from './sources/base64.ts';
export { DecodeError, type Decoder, type DecoderOptions, type Encoded } from './sources/decoder.ts';
export { MalformedRecordError, UnsupportedEventError } from './sources/errors.ts';
export { gzip, type GzipOptions } from './sources/gzip.ts';
export type {
  BatchRecord,
  DynamoDBChange,
  DynamoDBItem,
  DynamoDBStreamBatchRecord,
  Envelope,
  EventBridgeBatchRecord,
  KinesisBatchRecord,
  PipesKinesisRecord,
  S3BatchRecord,
  S3Notification,
  SnsBatchRecord,
  SqsBatchRecord,
} from './sources/record.ts';
export type { Unwrap, UnwrapStep } from './sources/unwrap-steps.ts';
