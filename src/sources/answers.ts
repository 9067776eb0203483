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

/** How one record ended, for the answer to its sender. */
export interface Ending {
  /** Undefined: it cannot be named in a response. */
  readonly itemIdentifier: string | undefined;
  /** It need not come again. */
  readonly isAcknowledged: boolean;
  /** What the invocation fails with where it is the only way to have a record that is not acknowledged come again. */
  error(): unknown;
}

/**
 * Every record that failed, by name: all but those that are acknowledged, so that a record that was forgotten on the
 * way comes back. Throws an `UnnamedRecordError` where only a failed invocation makes that happen.
 */
export function itemFailures(endings: readonly Ending[]): BatchResponse {
  const failed = endings.filter(({ isAcknowledged }) => !isAcknowledged);

  // Lambda takes an entry without an identifier for a failure of the whole batch: say so plainly instead.
  const unnamed = failed.filter(({ itemIdentifier }) => itemIdentifier === undefined).length;
  if (unnamed > 0) throw new UnnamedRecordError(unnamed);

  const identifiers = new Set<string>();
  for (const { itemIdentifier } of failed) if (itemIdentifier !== undefined) identifiers.add(itemIdentifier);
  return { batchItemFailures: [...identifiers].map((itemIdentifier) => ({ itemIdentifier })) };
}

/**
 * The first record that failed. Of a stream, Lambda takes the lowest failed sequence number for its checkpoint, and
 * delivers that record and all after it again; what was done of them is then a duplicate. The batch is in that order.
 * A failure without a sequence number is reached from the nearest record before it that has one.
 */
export function checkpoint(endings: readonly Ending[]): BatchResponse {
  // rule: lowest-failure
  const first = endings.findIndex(({ isAcknowledged }) => !isAcknowledged);
  if (first === -1) return { batchItemFailures: [] };
  const itemIdentifier = endings
    .slice(0, first + 1)
    .findLast((ending) => ending.itemIdentifier !== undefined)?.itemIdentifier;
  if (itemIdentifier === undefined) throw new UnnamedRecordError(1);
  return { batchItemFailures: [{ itemIdentifier }] };
}

/** Nothing, or a rejection, where the invocation's success is the answer. */
export function allOrNothing(endings: readonly Ending[]): undefined {
  const failed = endings.find(({ isAcknowledged }) => !isAcknowledged);
  if (failed !== undefined) throw failed.error();
  return undefined;
}
