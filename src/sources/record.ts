import type { EventBridgeEvent, SQSRecord } from 'aws-lambda';

/** What every record has, whatever service delivered it. */
interface RecordOf<Source extends string, Body, Raw> {
  /** Which service delivered the record; tells the union apart. */
  readonly source: Source;
  /** SQS: the messageId. EventBridge: the event's id. */
  readonly id: string;
  /** SQS: the body, parsed where it is JSON, else the text. EventBridge: the event's `detail`. Unwrapped: the inner payload. */
  readonly body: Body;
  /** The body as it was delivered; of a direct EventBridge event the `detail` as JSON. */
  readonly rawBody: string;
  /** String attributes by name: SQS message attributes; EventBridge: source, detail-type, account, region. */
  readonly attributes: Readonly<Record<string, string>>;
  /** How often the record has been delivered, from 1. EventBridge does not tell: always 1. */
  readonly receiveCount: number;
  /** Epoch milliseconds; undefined where the service does not tell. */
  readonly sentAt: number | undefined;
  /** FIFO queues, and standard queues with fair queuing. */
  readonly messageGroupId: string | undefined;
  /** The event inside the body, where `unwrap` asked for it. */
  readonly envelope: Envelope | undefined;
  /** The record as Lambda gave it. */
  readonly raw: Raw;
}

/** What an EventBridge event or an SNS notification says of itself when it arrives inside an SQS body. */
export interface Envelope {
  /** The event's or notification's own id; the key then defaults to it. */
  readonly id: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export type SqsBatchRecord<Body = unknown> = RecordOf<'sqs', Body, SQSRecord>;
export type EventBridgeBatchRecord<Body = unknown> = RecordOf<
  'eventbridge',
  Body,
  EventBridgeEvent<string, Body>
>;

/** One message as a Lambda event carries it. */
export type BatchRecord<Body = unknown> = SqsBatchRecord<Body> | EventBridgeBatchRecord<Body>;
