import type { BatchResponse, HandedBack, KafkaBatchResponse } from './answers.ts';
import type { BatchRecord } from './record.ts';

/**
 * A service that invokes functions: recognises its events, makes their records, says which of them keep an order, and
 * how it is answered. Made by `sqs()`, `kinesis()`, `dynamoDBStream()`, `kafka()`, `eventBridge()`, `eventBridgeBus()`,
 * `sns()` and `s3()`; `allSources()` is all of them.
 *
 * @typeParam Record The kind of record that it makes.
 */
export interface Source<Record extends BatchRecord = BatchRecord> {
  /** The service's name, for error messages. */
  readonly name: string;
  /**
   * The records of an event, as they were delivered; undefined for an event of another service. Throws an
   * `UnsupportedEventError` for an event of this service that cannot be processed record by record.
   *
   * @param event What the function was invoked with.
   */
  read(event: unknown): SourceBatch<Record> | undefined;
}

/**
 * The records of one event, and how its sender is answered.
 *
 * @typeParam Record The kind of record.
 */
export interface SourceBatch<Record extends BatchRecord = BatchRecord> {
  /** In the order of the event. */
  readonly entries: readonly SourceEntry<Record>[];
  /**
   * Makes the answer to the sender. See `answers.ts`.
   *
   * @param handedBack The records that must be delivered again, in the order of `entries`.
   */
  readonly answer: (handedBack: readonly HandedBack[]) => BatchResponse | KafkaBatchResponse | undefined;
  /**
   * The sender does not wait for a visibility timeout before it delivers again: Lambda retries an asynchronous
   * invocation after one and two minutes, a stream at once. A lease must not outlive a process for longer than that.
   */
  readonly comesAgainSoon?: true;
}

/**
 * A record, or what makes it unreadable. Either way it has a place in the response; an entry without an
 * identifier cannot be named there, and then the batch as a whole has to come back.
 *
 * @typeParam Record The kind of record.
 */
export interface SourceEntry<Record extends BatchRecord = BatchRecord> {
  /** What names the record in the response; undefined where the record says nothing that could. */
  readonly itemIdentifier: string | undefined;
  /** Records of one lane run in order, one after the other; undefined: on its own. */
  readonly lane: string | undefined;
  /** The record, or why there is none. */
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
      /** Why there is none. */
      readonly error: Error;
      /** Whether a later delivery may be read. Default false. */
      readonly isRetryable?: boolean;
      /** The record as it was delivered, where only its payload could not be decoded. */
      readonly delivered?: Record;
    }
  | {
      /** Why it carries no work, such as the message by which S3 tries out a queue. */
      readonly ignored: string;
    };
