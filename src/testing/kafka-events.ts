import { Buffer } from 'node:buffer';
import type { MSKEvent, MSKRecord, SelfManagedKafkaEvent } from 'aws-lambda';

/** What a test specifies about one record of Kafka; the rest is filled in. */
export interface KafkaMessage {
  /** Sent as it is when it is a string or bytes, else as JSON; `undefined` is a tombstone, which has no value. */
  readonly value: unknown;
  /** Default: none. */
  readonly key?: string | Uint8Array;
  /** Default `orders`. */
  readonly topic?: string;
  /** Default 0. */
  readonly partition?: number;
  /** Default: one more than that of the record before it in the partition, from 0. */
  readonly offset?: number;
  /** Texts by name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Epoch milliseconds. Default: now. */
  readonly sentAt?: number;
}

/** Which kind of cluster the records come from. */
export interface KafkaEventOptions {
  /** Without an ARN in the event, as of a cluster that is not Amazon's. Default: false. */
  readonly selfManaged?: boolean;
}

/**
 * A batch of Kafka as Lambda delivers it, its records by topic and partition.
 *
 * @param messages What is said of each record.
 * @param options Which kind of cluster they come from.
 */
export function kafkaEvent(
  messages: readonly KafkaMessage[],
  options?: { readonly selfManaged?: false },
): MSKEvent;
/**
 * The same of a self-managed cluster.
 *
 * @param messages What is said of each record.
 * @param options Says that the cluster is self-managed.
 */
export function kafkaEvent(
  messages: readonly KafkaMessage[],
  options: { readonly selfManaged: true },
): SelfManagedKafkaEvent;
export function kafkaEvent(
  messages: readonly KafkaMessage[],
  { selfManaged = false }: KafkaEventOptions = {},
): MSKEvent | SelfManagedKafkaEvent {
  const records: Record<string, MSKRecord[]> = {};
  for (const { topic = 'orders', partition = 0, ...message } of messages) {
    const ofPartition = (records[`${topic}-${partition}`] ??= []);
    const offset = message.offset ?? (ofPartition.at(-1)?.offset ?? -1) + 1;
    const { key, value, headers = {}, sentAt = Date.now() } = message;
    ofPartition.push({
      topic,
      partition,
      offset,
      timestamp: sentAt,
      timestampType: 'CREATE_TIME',
      // Absent ones are null, which the types leave out.
      key: (key === undefined ? null : base64Of(key)) as string,
      value: (value === undefined ? null : base64Of(value)) as string,
      headers: Object.entries(headers).map(([name, text]) => ({ [name]: [...Buffer.from(text)] })),
    });
  }
  const bootstrapServers =
    'b-2.demo.kafka.us-east-1.amazonaws.com:9092,b-1.demo.kafka.us-east-1.amazonaws.com:9092';
  if (selfManaged) return { eventSource: 'SelfManagedKafka', bootstrapServers, records };
  const eventSourceArn =
    'arn:aws:kafka:us-east-1:123456789012:cluster/demo/11111111-2222-3333-4444-555555555555-2';
  return { eventSource: 'aws:kafka', eventSourceArn, bootstrapServers, records };
}

function base64Of(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
}
