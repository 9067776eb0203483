export type {
  BatchMaker,
  BatchProcessor,
  ProcessorOptions,
  RecordMaker,
  RoutedOptions,
} from './presets/processor-types.ts';
export type { BatchHandler, BatchItem } from './batch/batch-handler.ts';
export type { BatchProcessorOptions } from './batch/options.ts';
export type {
  ConflictPolicy,
  DeadLetterPolicy,
  HeartbeatPolicy,
  ReadingPolicy,
  SchemaPolicy,
  StoreErrorPolicy,
  VisibilityPolicy,
} from './batch/context.ts';
export type { RecordContext, RecordHandler } from './batch/record-handler.ts';
export type { PermanentEnd, RecordOutcome } from './batch/outcomes.ts';
export {
  CommitNotAllowedError,
  CompletionNotStoredError,
  LapsedLeaseError,
  MismatchError,
  PermanentError,
  RetryLaterError,
  TooManyAttemptsError,
  TooManyCrashesError,
} from './attempts/errors.ts';
export {
  DeadlineError,
  InterruptedError,
  LeaseLostError,
  RecordTimeoutError,
  WorkerStoppedError,
} from './attempts/stop-errors.ts';
export { RedeliverError } from './batch/hand-back.ts';
export { backoff, type BackoffOptions } from './around/backoff.ts';
export { deadLetterQueue, type DeadLetterQueueOptions } from './around/dead-letter-queue.ts';
export { BatchAnswerError } from './around/gathering.ts';
export { heartbeat, type HeartbeatOptions } from './around/heartbeat.ts';
export { NotReadError, ReadingKillsError } from './around/reading-errors.ts';
export { runWithoutClaim } from './around/run-without-claim.ts';
export { InvalidBodyError, SchemaFailedError, standardSchema } from './around/standard-schema.ts';
export type { BodyIssue } from './messages/body-issues.ts';
export { suspectsFirst } from './around/suspects-first.ts';
export { type WaitForOwner, waitForOwner, type WaitForOwnerOptions } from './around/wait-for-owner.ts';
export type {
  AcquireOutcome,
  ClaimRequest,
  ClaimStore,
  Completion,
  LeaseExtension,
  OwnedClaim,
  SettledClaim,
  SettleOutcome,
  Settlement,
  StoreCallOptions,
  TransactedRows,
} from './claims/claim-store.ts';
export type { Claim, ClaimStatus, OperatorChange, StoredError } from './claims/claim.ts';
export type { AttemptContext, AttemptHandle, AttemptTransaction } from './claims/attempt-handle.ts';
export type { CommitOutcome, Effect } from './claims/commit.ts';
export type { Clock } from './base/clock.ts';
export { BatchlatchError, ConfigurationError, StoreError } from './base/errors.ts';
export { platformSignal, type StopSignal } from './base/stop.ts';
export type { ResultStorage } from './claims/result-storage.ts';
export type { RetentionMs, Retentions } from './claims/retention.ts';
export { KeyError } from './keys/errors.ts';
export { type KeySelector, messageId, wholeKey } from './keys/key-selector.ts';
export { type PathIn, payloadHash, type PayloadHashOptions } from './keys/payload-hash.ts';
export { jsonLines, type JsonLinesOptions, type LogLevel } from './observe/json-lines.ts';
export type {
  BatchEvent,
  NotStartedReason,
  ObservedAttempt,
  ObservedKey,
  Observer,
  SettlingEnd,
} from './observe/observer.ts';
export type { ObservedInvocation, ObservedRecord } from './observe/observed.ts';
export { cached, type CachedOptions } from './stores/cached.ts';
export { resultsIn, type ResultsInOptions } from './stores/results-in.ts';
export type { SqsClient } from './queues/sqs-client.ts';
export type { CommandClient } from './options/command-client.ts';
export { allSources } from './sources/all-sources.ts';
export type {
  BatchResponse,
  HandedBack,
  KafkaBatchResponse,
  KafkaItemIdentifier,
} from './sources/answers.ts';
export { base64, type Base64Options } from './sources/base64.ts';
export { decoder } from './sources/decode-payloads.ts';
export {
  DecodeError,
  type Decoder,
  type DecoderOptions,
  type DecoderStep,
  type DecodeStep,
  type Encoded,
  type EnvelopeStep,
} from './sources/decode-step.ts';
export { dynamoDBStream } from './sources/dynamodb-stream.ts';
export { MalformedRecordError, UnnamedRecordError, UnsupportedEventError } from './sources/errors.ts';
export { eventBridgeBus, type EventBridgeBusOptions } from './sources/eventbridge-bus.ts';
export { eventBridge, eventBridgeEnvelope } from './sources/eventbridge.ts';
export { gzip, type GzipOptions } from './sources/gzip.ts';
export { kafka, type KafkaOptions } from './sources/kafka.ts';
export { kinesis } from './sources/kinesis.ts';
export type {
  BatchRecord,
  DynamoDBChange,
  DynamoDBItem,
  DynamoDBStreamBatchRecord,
  Envelope,
  EventBridgeBatchRecord,
  EventBridgeBusBatchRecord,
  KafkaBatchRecord,
  KinesisBatchRecord,
  PipesKinesisRecord,
  RecordOf,
  S3BatchRecord,
  S3Notification,
  SnsBatchRecord,
  SqsBatchRecord,
} from './sources/record.ts';
export { s3, s3Envelope } from './sources/s3.ts';
export { sns, snsEnvelope } from './sources/sns.ts';
export type { ReadRecord, Source, SourceBatch, SourceEntry } from './sources/source.ts';
export { sqs } from './sources/sqs.ts';
