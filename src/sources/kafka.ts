import { Buffer } from 'node:buffer';
import type { MSKRecord } from 'aws-lambda';
import { type HandedBack, itemFailures, type KafkaBatchResponse } from './answers.ts';
import { Base64Record, textOfBase64 } from './base64.ts';
import { checkOptionsOf, oneOf } from '../options/check-options.ts';
import { hasMembers, isText, malformed, membersOf } from './event-records.ts';
import { readText } from './json-text.ts';
import type { KafkaBatchRecord } from './record.ts';
import type { Source, SourceEntry } from './source.ts';
import type { OpenedBody } from './text-record.ts';
import { isObject } from '../base/is-object.ts';

/** Options of `kafka()`. */
export interface KafkaOptions {
  /**
   * Which records run in their order. `partition`: those of one partition, as Kafka keeps them. `key`: those of one key of
   * a partition, and the others beside them; a record without a key runs by itself. Default `partition`.
   */
  readonly lanes?: 'partition' | 'key';
}

/**
 * Kafka, of Amazon MSK and self-managed. The records that failed, and those held back behind them, are named in the
 * answer, by partition and offset: set `ReportBatchItemFailures`, which needs the provisioned mode of the event source
 * mapping. Throws a `ConfigurationError` for unknown options.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/kafka-retry-configurations.html
 *
 * @typeParam Body The type of the record's body.
 * @param options In which order records run.
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

/** A self-managed cluster has no id in the event: its brokers, in any order, are what tells it from others. */
function clusterOf({ eventSourceArn, bootstrapServers }: KafkaEvent): string {
  if (isText(eventSourceArn)) return eventSourceArn;
  const servers = typeof bootstrapServers === 'string' ? bootstrapServers : '';
  return servers
    .split(',')
    .map((server) => server.trim())
    .toSorted()
    .join(',');
}

/** `topicPartition` is the record's place in the event, such as `orders-0`. */
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
      ? `its topic and partition are not those of ${topicPartition}, under which it was delivered`
      : value !== null && value !== undefined && typeof value !== 'string'
        ? `its value is of the type ${typeof value}, not a string`
        : key !== null && key !== undefined && typeof key !== 'string'
          ? `its key is of the type ${typeof key}, not a string`
          : undefined;
  if (problem !== undefined) {
    const what = `Kafka record ${itemIdentifier ?? `of ${topicPartition}`}`;
    return malformed(what, { itemIdentifier, lane }, problem);
  }
  const id = `${cluster}:${itemIdentifier as string}`;
  const record = new KafkaRecordView(raw as KafkaBatchRecord['raw'], id, undefined, undefined);
  return { itemIdentifier, lane, read: readText(record, (value as string | null | undefined) ?? '') };
}

/** Lambda retries the whole batch for a name that it does not know. */
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
    const sentAt = typeof timestamp === 'number' && Number.isFinite(timestamp) ? timestamp : undefined;
    super(
      { source: 'kafka', id, rawBody: decodedText, hasAttributes: hasMembers(headers), sentAt, raw },
      opened,
    );
    this.topic = topic;
    this.partition = partition;
    this.offset = offset;
    this.key = typeof key === 'string' ? textOfBase64(key) : undefined;
  }

  /** A record without a value is a tombstone, by which Kafka says that its key is deleted. */
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
      ? 'The record has no value (a tombstone), so there is no payload to derive a key from; use messageId() or a function as `key`'
      : super.keyProblem;
  }

  protected override makeAttributes(): Readonly<Record<string, string>> {
    const headers: [string, string][] = [];
    for (const header of this.raw.headers) {
      for (const [name, bytes] of Object.entries(header)) headers.push([name, Buffer.from(bytes).toString()]);
    }
    return Object.fromEntries(headers); // an assignment would lose a header that is named __proto__
  }
}

/** What the types of `aws-lambda` do not say may be missing. */
type KafkaMembers = Omit<MSKRecord, 'key' | 'value' | 'timestamp' | 'headers'> & {
  readonly key?: string | null;
  readonly value?: string | null;
  readonly timestamp?: unknown;
  readonly headers?: MSKRecord['headers'] | null;
};
