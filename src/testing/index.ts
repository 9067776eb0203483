/**
 * Tools for tests: events of every source, a Lambda context, a manual clock, a sender that records, and a
 * conformance suite for stores.
 *
 * @module batchlatch/testing
 */
export { describeClaimStore, type ClaimStoreSubject, type TestRunner } from './describe-claim-store.ts';
export type { CommitSubject } from './contract/commit.ts';
export type { RowsSubject } from './contract/newer.ts';
export {
  eventBridgeEvent,
  lambdaContext,
  sqsEvent,
  type LambdaContextOptions,
  type SqsEventOptions,
  type SqsMessage,
} from './events.ts';
export { eventBridgeBusEvent, type EventBusEventOptions, type EventBusMessage } from './event-bus-events.ts';
export { kafkaEvent, type KafkaEventOptions, type KafkaMessage } from './kafka-events.ts';
export { s3Event, snsEvent, type S3Object, type SnsNotificationMessage } from './push-events.ts';
export {
  dynamoDBStreamEvent,
  kinesisEvent,
  pipesEvent,
  type DynamoDBStreamChange,
  type DynamoDBStreamEventOptions,
  type KinesisEventOptions,
  type KinesisMessage,
} from './stream-events.ts';
export { failedItems } from '../worker/failed-items.ts';
export { manualClock, type ManualClock } from './manual-clock.ts';
export {
  recordingSender,
  type RecordedAnswer,
  type RecordingSender,
  type RecordingSenderOptions,
} from './recording-sender.ts';
