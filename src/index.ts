export { createBatchProcessor, type BatchProcessor } from './create-batch-processor.ts';
export type { BatchHandler, BatchItem } from './batch/batch-handler.ts';
export type { BatchProcessorOptions, HeartbeatOptions, VisibilityOptions } from './batch/options.ts';
export type { RecordContext, RecordHandler } from './batch/record-handler.ts';
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
export { allSources } from './sources/all-sources.ts';
export type { BatchResponse, Ending } from './sources/answers.ts';
export { base64, type Base64Options } from './sources/base64.ts';
export { decoder } from './sources/decode-payloads.ts';
export type { DecoderStep, DecodeStep, EnvelopeStep } from './sources/decode-step.ts';
export { DecodeError, type Decoder, type DecoderOptions, type Encoded } from './sources/decoder.ts';
export { dynamoDBStream } from './sources/dynamodb-stream.ts';
export { MalformedRecordError, UnnamedRecordError, UnsupportedEventError } from './sources/errors.ts';
export { eventBridgeEnvelope } from './sources/eventbridge-envelope.ts';
export { eventBridge } from './sources/eventbridge.ts';
export { gzip, type GzipOptions } from './sources/gzip.ts';
export { kinesis } from './sources/kinesis.ts';
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
export { s3Envelope } from './sources/s3-envelope.ts';
export { s3 } from './sources/s3.ts';
export { snsEnvelope } from './sources/sns-envelope.ts';
export { sns } from './sources/sns.ts';
export type { ReadRecord, Source, SourceBatch, SourceEntry } from './sources/source.ts';
export { sqs } from './sources/sqs.ts';
