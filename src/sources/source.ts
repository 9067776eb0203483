import type { BatchResponse, HandedBack, KafkaBatchResponse } from './answers.ts';
import type { BatchRecord } from './record.ts';

/**
 * A service that invokes functions. A source recognises the service's events, reads their records and lanes,
 * and makes the response. Created by `sqs()`, `kinesis()`, `dynamoDBStream()`, `kafka()`, `eventBridge()`,
 * `eventBridgeBus()`, `sns()` and `s3()`; `allSources()` combines them.
 *
 * @typeParam Record The kind of record that it reads.
 */
export interface Source<Record extends BatchRecord = BatchRecord> {
  /** The service's name, for error messages. */
  readonly name: string;
  /**
   * Reads the records of an event, before `decode`. Returns undefined for an event of another service. Throws
   * an `UnsupportedEventError` for an event of this service that cannot be processed record by record.
   *
   * @param event The event of the invocation.
   */
  read(event: unknown): SourceBatch<Record> | undefined;
}

/**
 * The records of one event, and the function that makes the response.
 *
 * @typeParam Record The kind of record.
 */
export interface SourceBatch<Record extends BatchRecord = BatchRecord> {
  /** The records, in the order of the event. */
  readonly entries: readonly SourceEntry<Record>[];
  /**
   * Makes the response to the sender. See `answers.ts`.
   *
   * @param handedBack The records to deliver again, in the order of `entries`.
   */
  readonly answer: (handedBack: readonly HandedBack[]) => BatchResponse | KafkaBatchResponse | undefined;
  /**
   * Set if the sender delivers again without waiting for a visibility timeout: Lambda retries an asynchronous
   * invocation after one and two minutes, a stream at once. Leases are then short.
   */
  readonly comesAgainSoon?: true;
  /** Resolves when the records can be used, after what they need was loaded. Default: they can be at once. */
  readonly ready?: Promise<void>;
}

/**
 * An entry of an event, readable or not. If one without an identifier fails, the whole batch is delivered
 * again.
 *
 * @typeParam Record The kind of record.
 */
export interface SourceEntry<Record extends BatchRecord = BatchRecord> {
  /** The record's identifier in the response; undefined if it has none. */
  readonly itemIdentifier: string | undefined;
  /** Records of one lane run in order, one at a time; undefined for a record without an order. */
  readonly lane: string | undefined;
  /** The record, or why it cannot be read. */
  readonly read: ReadRecord<Record>;
}

/**
 * A record that was read, or why it was not.
 *
 * @typeParam Record The kind of record.
 */
export type ReadRecord<Record extends BatchRecord = BatchRecord> =
  | {
      /** The record. */
      readonly record: Record;
    }
  | {
      /** Why the record cannot be read. */
      readonly error: Error;
      /** Whether a later delivery may be readable. Default false. */
      readonly isRetryable?: boolean;
      /** The record as it was delivered, if only its payload could not be decoded. */
      readonly delivered?: Record;
    }
  | {
      /** Why the record carries no work, such as S3's test message. */
      readonly ignored: string;
    };
