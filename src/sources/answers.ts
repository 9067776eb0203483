import { UnnamedRecordError } from './errors.ts';

/** Lambda's answer to a batch: the records to deliver again (`ReportBatchItemFailures`). */
export interface BatchResponse {
  /** The records that must be delivered again; empty: none. */
  batchItemFailures: {
    /** Names the record: the messageId, or the sequence number. */
    itemIdentifier: string;
  }[];
}

/** Lambda's answer to a batch of Kafka (https://docs.aws.amazon.com/lambda/latest/dg/kafka-retry-configurations.html). */
export interface KafkaBatchResponse {
  /** The records that must be delivered again; empty: none. */
  batchItemFailures: {
    /** Names the record by its place. */
    itemIdentifier: KafkaItemIdentifier;
  }[];
}

/** The place of a record of Kafka. */
export interface KafkaItemIdentifier {
  /** Topic and number, such as `orders-0`. */
  partition: string;
  /** The record's offset in its partition. */
  offset: number;
}

/** A record that must be delivered again, for the answer to its sender. */
export interface HandedBack {
  /** Undefined: it cannot be named in a response. */
  readonly itemIdentifier: string | undefined;
  /** The identifier of the nearest record that has one, at or before it in the event; undefined: none has. */
  readonly nearestIdentifier: string | undefined;
  /** What the invocation fails with where that is the only way to have it delivered again. */
  error(): unknown;
}

/**
 * Names every record that is handed back. Throws an `UnnamedRecordError` for one that cannot be named: only a failed invocation
 * brings it back.
 */
export function itemFailures(handedBack: readonly HandedBack[]): BatchResponse {
  // Lambda takes an entry without an identifier for a failure of the whole batch: say so plainly instead.
  const unnamed = handedBack.filter(({ itemIdentifier }) => itemIdentifier === undefined).length;
  if (unnamed > 0) throw new UnnamedRecordError(unnamed);

  const identifiers = new Set(handedBack.map(({ itemIdentifier }) => itemIdentifier as string));
  return { batchItemFailures: [...identifiers].map((itemIdentifier) => ({ itemIdentifier })) };
}

/**
 * Names the first record that is handed back. Of a stream, Lambda takes the lowest failed sequence number for its checkpoint, and
 * delivers that record and all after it again; what was done of them is then a duplicate. The batch is in that order.
 * A record without a sequence number is reached from the nearest record before it that has one.
 */
export function checkpoint(handedBack: readonly HandedBack[]): BatchResponse {
  // rule: lowest-failure
  const first = handedBack[0];
  if (first === undefined) return { batchItemFailures: [] };
  const itemIdentifier = first.nearestIdentifier;
  if (itemIdentifier === undefined) throw new UnnamedRecordError(1);
  return { batchItemFailures: [{ itemIdentifier }] };
}

/** Rejects the invocation if any record is handed back, where the invocation's success is the answer. */
export function allOrNothing([first]: readonly HandedBack[]): undefined {
  if (first !== undefined) throw first.error();
  return undefined;
}
