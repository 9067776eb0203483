import type {
  DynamoDBRecord,
  EventBridgeEvent,
  KinesisStreamRecord,
  KinesisStreamRecordPayload,
  MSKRecord,
  S3EventRecord,
  SelfManagedKafkaRecord,
  SNSEventRecord,
  SQSRecord,
} from 'aws-lambda';

/**
 * The members that all records have, whatever service delivered them.
 *
 * @typeParam Source Names the service.
 * @typeParam Body The type of the body.
 * @typeParam Raw The record as Lambda gives it.
 */
export interface RecordOf<Source extends string, Body, Raw> {
  /** The service that delivered the record; discriminates the union. */
  readonly source: Source;
  /**
   * SQS and SNS: the message ID. EventBridge: the event's ID. Kinesis and DynamoDB Streams: the stream's ARN
   * and the event's ID. Kafka: the cluster, the partition and the offset. S3: bucket, key, version, sequencer
   * and event name, as a JSON array; without a sequencer time and request ID too. A custom event bus:
   * `aws:EventId`, else the event's ID; empty for bare data.
   */
  readonly id: string;
  /**
   * SQS, SNS, Kinesis, Kafka: the parsed JSON, or the text if it is not JSON; `null` for a tombstone of
   * Kafka. EventBridge: the event's `detail`, or the data of `PutRawEvents`. DynamoDB Streams: a
   * `DynamoDBChange`. S3: an `S3Notification`. With envelopes in `decode`: the content. With a `schema`: its
   * output.
   */
  readonly body: Body;
  /**
   * The text of `body`: as delivered (for Kinesis and Kafka without the base64), or the output of `decode`.
   * If the service delivers an object, that object as JSON.
   */
  readonly rawBody: string;
  /**
   * String attributes by name. SQS and SNS: message attributes. EventBridge: source, detail-type, account,
   * region. A custom event bus: `Metadata` too. Kafka: headers.
   */
  readonly attributes: Readonly<Record<string, string>>;
  /** How often the record has been delivered, from 1. Known only for SQS; always 1 for other services. */
  readonly receiveCount: number;
  /** The time of sending in epoch milliseconds; undefined if the service does not report it. */
  readonly sentAt: number | undefined;
  /** The message group of FIFO queues, and of standard queues with fair queuing. */
  readonly messageGroupId: string | undefined;
  /** The ID and attributes of the envelope, if `decode` has one. */
  readonly envelope: Envelope | undefined;
  /** The record as Lambda delivered it. */
  readonly raw: Raw;
}

/** The ID and attributes of an event or a notification that arrives inside a body. */
export interface Envelope {
  /** The ID of the event or notification, for nested envelopes of the innermost one. The default key. */
  readonly id: string;
  /** String attributes by name, such as SNS's message attributes or EventBridge's source and detail-type. */
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * A message of an SQS queue, standard or FIFO.
 *
 * @typeParam Body The type of the body.
 */
export type SqsBatchRecord<Body = unknown> = RecordOf<'sqs', Body, SQSRecord>;
/**
 * An event that an EventBridge rule sent to the function.
 *
 * @typeParam Body The type of the body.
 */
export type EventBridgeBatchRecord<Body = unknown> = RecordOf<
  'eventbridge',
  Body,
  EventBridgeEvent<string, Body>
>;
/**
 * A notification that SNS sent to the function.
 *
 * @typeParam Body The type of the body.
 */
export type SnsBatchRecord<Body = unknown> = RecordOf<'sns', Body, SNSEventRecord>;
/**
 * An event notification that S3 sent to the function.
 *
 * @typeParam Body The type of the body.
 */
export type S3BatchRecord<Body = unknown> = RecordOf<'s3', Body, S3EventRecord>;

/** A Kinesis record from EventBridge Pipes: the members of Lambda's `kinesis` are in the record itself. */
export type PipesKinesisRecord = Omit<KinesisStreamRecord, 'kinesis'> & KinesisStreamRecordPayload;

/**
 * A record of a Kinesis stream, from an event source mapping or from EventBridge Pipes.
 *
 * @typeParam Body The type of the body.
 */
export interface KinesisBatchRecord<Body = unknown> extends RecordOf<
  'kinesis',
  Body,
  KinesisStreamRecord | PipesKinesisRecord
> {
  /** The partition key. Records of one key run in order. */
  readonly partitionKey: string;
  /** The sequence number, a text of up to 56 digits. */
  readonly sequenceNumber: string;
}

/**
 * A record of a Kafka topic, from Amazon MSK or a self-managed cluster.
 *
 * @typeParam Body The type of the body.
 */
export interface KafkaBatchRecord<Body = unknown> extends RecordOf<
  'kafka',
  Body,
  MSKRecord | SelfManagedKafkaRecord
> {
  /** The topic's name. */
  readonly topic: string;
  /** The partition's number, from 0. */
  readonly partition: number;
  /** The record's offset in its partition. */
  readonly offset: number;
  /** The record's key as UTF-8 text, decoded from base64; undefined if it has none. */
  readonly key: string | undefined;
}

/**
 * An event of a custom event bus (`AWS::EventsV2`).
 *
 * @typeParam Body The type of the body.
 */
export interface EventBridgeBusBatchRecord<Body = unknown> extends RecordOf<
  'eventbridge-bus',
  Body,
  unknown
> {
  /** `EventGroupId`. This and the next members are undefined without the transformer `WITH_METADATA`. */
  readonly eventGroupId: string | undefined;
  /** `aws:SequenceNumber`: a text, because it has more digits than a number holds. */
  readonly sequenceNumber: string | undefined;
  /** Whether the event was replayed from those that the bus keeps. */
  readonly isReplay: boolean | undefined;
}

/** A change of one item of a table. The stream's view type decides which images it has. */
export interface DynamoDBChange {
  /** The kind of change. */
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  /** The item's primary key. */
  readonly keys: DynamoDBItem;
  /** The item after the change. */
  readonly newImage: DynamoDBItem | undefined;
  /** The item before the change. */
  readonly oldImage: DynamoDBItem | undefined;
}

/**
 * An item's attributes by name, as `unmarshall` of `@aws-sdk/util-dynamodb` returns them. Sets are `Set`s,
 * integers beyond 2^53 are `bigint`s, and other numbers that a double cannot hold exactly are `NumberValue`s.
 * Binary values are base64, as Lambda delivers them.
 */
export type DynamoDBItem = Readonly<Record<string, unknown>>;

/**
 * A change of one item of a table with a stream.
 *
 * @typeParam Body The type of the body.
 */
export interface DynamoDBStreamBatchRecord<Body = unknown>
  extends RecordOf<'dynamodb-stream', Body, DynamoDBRecord>, DynamoDBChange {
  /** The sequence number of the change, as text. */
  readonly sequenceNumber: string;
}

/** An S3 event notification of one object. */
export interface S3Notification {
  /** The event, such as `ObjectCreated:Put`. */
  readonly eventName: string;
  /** The bucket's name. */
  readonly bucket: string;
  /** The object's key, decoded from the URL encoding in which S3 sends it. */
  readonly key: string;
  /** The version of the object, if versioning is enabled on the bucket. */
  readonly versionId: string | undefined;
  /** The size in bytes, of created objects. */
  readonly size: number | undefined;
  /** The hash of the content, or of the parts, of created objects. */
  readonly eTag: string | undefined;
  /** Orders the events of one key: the later value is greater, as right-aligned hexadecimal text. */
  readonly sequencer: string | undefined;
}

/**
 * A message or event as a Lambda event carries it.
 *
 * @typeParam Body The type of the body.
 */
export type BatchRecord<Body = unknown> =
  | SqsBatchRecord<Body>
  | EventBridgeBatchRecord<Body>
  | KinesisBatchRecord<Body>
  | DynamoDBStreamBatchRecord<Body>
  | SnsBatchRecord<Body>
  | S3BatchRecord<Body>
  | KafkaBatchRecord<Body>
  | EventBridgeBusBatchRecord<Body>;

/** Records of the same sources with another body type, such as a schema's output. */
export type WithBody<Record extends BatchRecord, Body> = Extract<
  BatchRecord<Body>,
  { readonly source: Record['source'] }
>;
