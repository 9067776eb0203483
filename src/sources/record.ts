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
 * What every record has, whatever service delivered it.
 *
 * @typeParam Source Names the service.
 * @typeParam Body The type of the body.
 * @typeParam Raw The record as Lambda gives it.
 */
export interface RecordOf<Source extends string, Body, Raw> {
  /** Which service delivered the record; tells the union apart. */
  readonly source: Source;
  /**
   * SQS and SNS: the messageId. EventBridge: the event's id. Kinesis and DynamoDB Streams: the stream's ARN and the
   * event's id. Kafka: the cluster, the partition and the offset. S3: bucket, key, version, sequencer and event name, as a
   * JSON list. A custom event bus: `aws:EventId`, else the event's id; empty for bare data.
   */
  readonly id: string;
  /**
   * SQS, SNS, Kinesis, Kafka: the text, parsed where it is JSON, else the text; `null` for a tombstone of Kafka.
   * EventBridge: the event's `detail`; of `PutRawEvents` the data. DynamoDB Streams: a `DynamoDBChange`. S3: an
   * `S3Notification`. With envelopes in `decode`: what is inside. With a `schema`: its output.
   */
  readonly body: Body;
  /**
   * The text that `body` is made of: as it was delivered, of Kinesis and Kafka without the base64, and with `decode` what that
   * gave. Where the service delivers an object, that object as JSON.
   */
  readonly rawBody: string;
  /** String attributes by name: SQS and SNS message attributes; EventBridge: source, detail-type, account, region; a custom event bus: `Metadata` too; Kafka: headers. */
  readonly attributes: Readonly<Record<string, string>>;
  /** How often the record has been delivered, from 1. SQS alone tells: of the others always 1. */
  readonly receiveCount: number;
  /** Epoch milliseconds; undefined where the service does not tell. */
  readonly sentAt: number | undefined;
  /** FIFO queues, and standard queues with fair queuing. */
  readonly messageGroupId: string | undefined;
  /** The event inside the body, where an envelope is a step of `decode`. */
  readonly envelope: Envelope | undefined;
  /** The record as Lambda gave it. */
  readonly raw: Raw;
}

/** What an event or a notification says of itself when it arrives inside a body. */
export interface Envelope {
  /** The event's or notification's own id, of several the innermost one's; the key then defaults to it. */
  readonly id: string;
  /** String attributes by name: message attributes of SNS; source, detail-type, account and region of EventBridge. */
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

/** A Kinesis record as EventBridge Pipes delivers it: what Lambda has under `kinesis` lies beside the rest. */
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
  /** Records of one partition key run in their order. */
  readonly partitionKey: string;
  /** The number that Kinesis gave the record, as text of up to 56 digits. */
  readonly sequenceNumber: string;
}

/**
 * A record of a Kafka topic, of Amazon MSK or self-managed.
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
  /** The record's key as UTF-8 text, not as base64; undefined where it has none. */
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
  /** `EventGroupId`; undefined where the subscriber's transformer is not `WITH_METADATA`, as for what follows. */
  readonly eventGroupId: string | undefined;
  /** `aws:SequenceNumber`: a text, because it has more digits than a number holds. */
  readonly sequenceNumber: string | undefined;
  /** Read from the events that the bus keeps, not delivered as it arrived. */
  readonly isReplay: boolean | undefined;
}

/** What happened to one item of a table. The images are there as far as the stream's view type has them. */
export interface DynamoDBChange {
  /** What happened to the item. */
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  /** The item's primary key. */
  readonly keys: DynamoDBItem;
  /** The item after the change. */
  readonly newImage: DynamoDBItem | undefined;
  /** The item before the change. */
  readonly oldImage: DynamoDBItem | undefined;
}

/**
 * Attributes as `unmarshall` of `@aws-sdk/util-dynamodb` gives them: sets are `Set`s, integers beyond 2^53 are `bigint`s, and
 * other numbers that a double does not hold exactly are `NumberValue`s. Binary values are base64, as Lambda delivers them.
 */
export type DynamoDBItem = Readonly<Record<string, unknown>>;

/**
 * A change of one item of a table with a stream.
 *
 * @typeParam Body The type of the body.
 */
export interface DynamoDBStreamBatchRecord<Body = unknown>
  extends RecordOf<'dynamodb-stream', Body, DynamoDBRecord>, DynamoDBChange {
  /** The number that the stream gave the change, as text. */
  readonly sequenceNumber: string;
}

/** What S3 tells of one object. */
export interface S3Notification {
  /** Such as `ObjectCreated:Put`. */
  readonly eventName: string;
  /** The bucket's name. */
  readonly bucket: string;
  /** The object's key as it is, not URL-encoded as S3 sends it. */
  readonly key: string;
  /** The version of the object, in a bucket with versions. */
  readonly versionId: string | undefined;
  /** In bytes. S3 tells it of objects that were created. */
  readonly size: number | undefined;
  /** Of objects that were created: the hash of their content, or of their parts. */
  readonly eTag: string | undefined;
  /** Of two events of one key the later one's is greater, as right-aligned hexadecimal text. */
  readonly sequencer: string | undefined;
}

/**
 * One message as a Lambda event carries it.
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

/** The same kinds of records with another body, such as a schema's output. */
export type WithBody<Record extends BatchRecord, Body> = Extract<
  BatchRecord<Body>,
  { readonly source: Record['source'] }
>;
