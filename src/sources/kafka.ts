import type { MSKRecord } from 'aws-lambda';
import { type HandedBack, itemFailures, type KafkaBatchResponse } from './answers.ts';
import { Base64Record, textOfBase64 } from './base64.ts';
import { checkOptionsOf, oneOf } from '../options/check-options.ts';
import { hasMembers, isText, malformed, membersOf, stringProblem } from './event-records.ts';
import { readText } from './json-text.ts';
import type { KafkaBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';
import type { OpenedBody } from './text-record.ts';
import { isObject } from '../base/is-object.ts';

/** Options of `kafka()`. */
export interface KafkaOptions {
  /**
   * Which records run in order. `partition`: records of one partition, as Kafka orders them. `key`: records
   * of one key within a partition; records without a key run in any order. Default `partition`.
   */
  readonly lanes?: 'partition' | 'key';
}

/**
 * Returns the source for Kafka: Amazon MSK and self-managed clusters. The response lists the records that
 * failed, and those held back behind them, by partition and offset. Set `ReportBatchItemFailures`, which
 * needs the provisioned mode of the event source mapping. Throws a `ConfigurationError` for invalid options.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/kafka-retry-configurations.html
 *
 * @typeParam Body The type of the record's body.
 * @param options Which records run in order.
 */
export function kafka<Body = unknown>(options: KafkaOptions = {}): Source<KafkaBatchRecord<Body>> {
  checkOptionsOf('kafka', options, { lanes: oneOf('partition', 'key') });
  const { lanes = 'partition' } = options;
  return {
    name: 'Kafka',
    read(event) {
      if (!isKafkaEvent(event)) return undefined;
      const cluster = clusterOf(event);
      const entries = Object.entries(event.records).flatMap(([partition, records]) =>
        Array.isArray(records) ? records.map((raw) => kafkaEntry(raw, partition, cluster, lanes)) : [],
      );
      return { entries, answer: failuresByOffset, comesAgainSoon: true };
    },
  } satisfies Source<KafkaBatchRecord> as Source<KafkaBatchRecord<Body>>;
}

interface KafkaEvent {
  readonly eventSource: string;
  readonly eventSourceArn?: unknown;
  readonly bootstrapServers?: unknown;
  readonly records: Readonly<Record<string, unknown>>;
}

function isKafkaEvent(event: unknown): event is KafkaEvent {
  if (!isObject(event) || !('eventSource' in event)) return false;
  const { eventSource } = event;
  if (eventSource !== 'aws:kafka' && eventSource !== 'SelfManagedKafka') return false;
  return 'records' in event && isObject(event.records);
}

/** Returns the cluster's ARN. A self-managed cluster has none: its brokers, sorted, identify it. */
function clusterOf({ eventSourceArn, bootstrapServers }: KafkaEvent): string {
  if (isText(eventSourceArn)) return eventSourceArn;
  const servers = typeof bootstrapServers === 'string' ? bootstrapServers : '';
  return servers
    .split(',')
    .map((server) => server.trim())
    .toSorted()
    .join(',');
}

/** `topicPartition` is the member of the event that lists the record, such as `orders-0`. */
function kafkaEntry(
  raw: unknown,
  topicPartition: string,
  cluster: string,
  lanes: 'partition' | 'key',
): SourceEntry<KafkaBatchRecord> {
  const { topic, partition, offset, key, value } = membersOf<Record<keyof MSKRecord, unknown>>(raw);
  const isNamed = Number.isSafeInteger(offset) && (offset as number) >= 0;
  const itemIdentifier = isNamed ? `${topicPartition}:${offset as number}` : undefined;
  const keyLane = typeof key === 'string' ? `key:${topicPartition}:${key}` : undefined;
  const lane = lanes === 'key' ? keyLane : `partition:${topicPartition}`;

  const problem = !isNamed
    ? 'it has no offset'
    : typeof topic !== 'string' || `${topic}-${String(partition)}` !== topicPartition
      ? `its topic and partition differ from ${topicPartition}, under which it came`
      : (stringProblem('value', value ?? '') ?? stringProblem('key', key ?? ''));
  if (problem !== undefined) {
    const what = `Kafka record ${itemIdentifier ?? `of ${topicPartition}`}`;
    return malformed(what, { itemIdentifier, lane }, problem);
  }
  const id = `${cluster}:${itemIdentifier as string}`;
  const record = new KafkaRecordView(raw as KafkaBatchRecord['raw'], id, undefined, undefined);
  return { itemIdentifier, lane, read: readText(record, (value as string | null | undefined) ?? '') };
}

/** Lists failures by partition and offset. Lambda retries the whole batch for an unknown identifier. */
function failuresByOffset(handedBack: readonly HandedBack[]): KafkaBatchResponse {
  const { batchItemFailures } = itemFailures(handedBack);
  return {
    batchItemFailures: batchItemFailures.map(({ itemIdentifier }) => {
      const colon = itemIdentifier.lastIndexOf(':');
      const partition = itemIdentifier.slice(0, colon);
      return { itemIdentifier: { partition, offset: Number(itemIdentifier.slice(colon + 1)) } };
    }),
  };
}

class KafkaRecordView extends Base64Record<'kafka', KafkaBatchRecord['raw']> implements KafkaBatchRecord {
  declare readonly topic: string;
  declare readonly partition: number;
  declare readonly offset: number;
  declare readonly key: string | undefined;

  constructor(
    raw: KafkaBatchRecord['raw'],
    id: string,
    opened: OpenedBody | undefined,
    decodedText: string | undefined,
  ) {
    const { topic, partition, offset, key, timestamp, headers } = raw as KafkaMembers;
    // Kafka's time of a record without one is -1.
    const isTime = typeof timestamp === 'number' && Number.isFinite(timestamp) && timestamp >= 0;
    const sentAt = isTime ? timestamp : undefined;
    super(
      { source: 'kafka', id, rawBody: decodedText, hasAttributes: hasMembers(headers), sentAt, raw },
      opened,
    );
    this.topic = topic;
    this.partition = partition;
    this.offset = offset;
    this.key = typeof key === 'string' ? textOfBase64(key) : undefined;
  }

  /** Undefined for a tombstone: a record without a value, which deletes its key. */
  protected get data(): string | undefined {
    return (this.raw as KafkaMembers).value ?? undefined;
  }

  withText(text: string | undefined, opened: OpenedBody | undefined): KafkaRecordView {
    return new KafkaRecordView(this.raw, this.id, opened, text);
  }

  protected override parsed(parse?: (text: string) => unknown): unknown {
    return this.data === undefined ? null : super.parsed(parse);
  }

  protected override get keyProblem(): string | undefined {
    return this.data === undefined
      ? 'The record has no value (a tombstone); use messageId() or a function as `key`'
      : super.keyProblem;
  }

  protected override makeAttributes(): Readonly<Record<string, string>> {
    const headers: [string, string][] = [];
    for (const header of (this.raw as KafkaMembers).headers ?? []) {
      for (const [name, bytes] of Object.entries(header)) {
        if (bytes !== null) headers.push([name, Buffer.from(bytes).toString()]);
      }
    }
    return Object.fromEntries(headers); // assigning would lose a header named __proto__
  }
}

/** The members that may be absent, unlike in the types of `aws-lambda`. */
type KafkaMembers = Omit<MSKRecord, 'key' | 'value' | 'timestamp' | 'headers'> & {
  readonly key?: string | null;
  readonly value?: string | null;
  readonly timestamp?: unknown;
  readonly headers?: readonly Readonly<Record<string, readonly number[] | null>>[] | null;
};
