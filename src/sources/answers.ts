import { UnnamedRecordError } from './errors.ts';

/** The function's response to Lambda: the records to deliver again (`ReportBatchItemFailures`). */
export interface BatchResponse {
  /** The records to deliver again; empty if every record is acknowledged. */
  batchItemFailures: {
    /** The message ID or the sequence number; the event ID for a stream that EventBridge Pipes polls. */
    itemIdentifier: string;
  }[];
}

/**
 * The function's response to a batch of Kafka records.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/kafka-retry-configurations.html
 */
export interface KafkaBatchResponse {
  /** The records to deliver again; empty if every record is acknowledged. */
  batchItemFailures: {
    /** The record's partition and offset. */
    itemIdentifier: KafkaItemIdentifier;
  }[];
}

/** The position of a Kafka record. */
export interface KafkaItemIdentifier {
  /** Topic and partition number, such as `orders-0`. */
  partition: string;
  /** The record's offset in its partition. */
  offset: number;
}

/** A record to deliver again. */
export interface HandedBack {
  /** The record's identifier in the response; undefined if it has none. */
  readonly itemIdentifier: string | undefined;
  /** The identifier of this record, else of the nearest one before it; undefined if none has one. */
  readonly nearestIdentifier: string | undefined;
  /** Returns the error that rejects the invocation, for senders that read no list of failures. */
  error(): unknown;
}

/** Lists every record to deliver again. Throws if one has no identifier: the whole batch then returns. */
export function itemFailures(handedBack: readonly HandedBack[]): BatchResponse {
  // Lambda treats an entry without an identifier as a failure of the whole batch; the error says so plainly.
  const unnamed = handedBack.filter(({ itemIdentifier }) => itemIdentifier === undefined).length;
  if (unnamed > 0) throw new UnnamedRecordError(unnamed);

  const identifiers = new Set(handedBack.map(({ itemIdentifier }) => itemIdentifier as string));
  return { batchItemFailures: [...identifiers].map((itemIdentifier) => ({ itemIdentifier })) };
}

/**
 * Lists the first record to deliver again. Lambda uses the lowest failed sequence number of a stream as its
 * checkpoint and delivers that record and all later ones again; those already completed are then duplicates.
 * For a record without a sequence number, the checkpoint is the nearest record before it that has one.
 */
export function checkpoint(handedBack: readonly HandedBack[]): BatchResponse {
  // rule: lowest-failure
  const first = handedBack[0];
  if (first === undefined) return { batchItemFailures: [] };
  const itemIdentifier = first.nearestIdentifier;
  if (itemIdentifier === undefined) throw new UnnamedRecordError(1);
  return { batchItemFailures: [{ itemIdentifier }] };
}

/** Rejects the invocation if any record must come again, for senders that read no list of failures. */
export function allOrNothing([first]: readonly HandedBack[]): undefined {
  if (first !== undefined) throw first.error();
  return undefined;
}
