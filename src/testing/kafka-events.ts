import {
  aBoolean,
  anInteger,
  anObject,
  aString,
  type Check,
  checkOptionsOf,
  either,
} from '../options/check-options.ts';
import { aFiniteNumber, base64Of, checkRecords } from './check-members.ts';
import type { MSKEvent, MSKRecord, SelfManagedKafkaEvent } from 'aws-lambda';

/** A Kafka record, as a test specifies it; other members are filled in. */
export interface KafkaMessage {
  /** The value: a string or bytes are sent unchanged, anything else as JSON; `undefined` is a tombstone. */
  readonly value: unknown;
  /** The key. Default: none. */
  readonly key?: string | Uint8Array;
  /** The topic. Default `orders`. */
  readonly topic?: string;
  /** The partition. Default 0. */
  readonly partition?: number;
  /** The offset. Default: one more than the previous record's in the partition, from 0. */
  readonly offset?: number;
  /** The headers, by name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** When the record was sent, in epoch milliseconds. Default: now. */
  readonly sentAt?: number;
}

/**
 * Options of `kafkaEvent`.
 *
 * @typeParam SelfManaged Whether the cluster is self-managed, not Amazon MSK.
 */
export interface KafkaEventOptions<SelfManaged extends boolean = boolean> {
  /** Whether the cluster is self-managed: the event has no ARN. Default: false. */
  readonly selfManaged?: SelfManaged;
}

/**
 * Returns a batch of Kafka records as Lambda delivers it, by topic and partition.
 *
 * @typeParam SelfManaged Whether the cluster is self-managed, not Amazon MSK.
 * @param messages The records.
 * @param options The kind of cluster they come from.
 * @throws `ConfigurationError` for an unknown or invalid member or option.
 */
export function kafkaEvent<SelfManaged extends boolean = false>(
  messages: readonly KafkaMessage[],
  options: KafkaEventOptions<SelfManaged> = {},
): SelfManaged extends true ? SelfManagedKafkaEvent : MSKEvent {
  checkRecords('kafkaEvent', messages, {
    content: 'value',
    checks: {
      key: either(aString(), bytes()),
      topic: aString(),
      partition: anInteger(0),
      offset: anInteger(0),
      headers: anObject(),
      sentAt: aFiniteNumber(),
    },
  });
  checkOptionsOf('kafkaEvent', options, { selfManaged: aBoolean() });
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
      // Lambda sends null for an absent key or value; the types omit it.
      key: (key === undefined ? null : base64Of(key)) as string,
      value: (value === undefined ? null : base64Of(value)) as string,
      headers: Object.entries(headers).map(([name, text]) => ({ [name]: [...Buffer.from(text)] })),
    });
  }
  const bootstrapServers =
    'b-2.demo.kafka.us-east-1.amazonaws.com:9092,b-1.demo.kafka.us-east-1.amazonaws.com:9092';
  type Made = SelfManaged extends true ? SelfManagedKafkaEvent : MSKEvent;
  if (options.selfManaged === true) {
    return { eventSource: 'SelfManagedKafka', bootstrapServers, records } as Made;
  }
  const eventSourceArn =
    'arn:aws:kafka:us-east-1:123456789012:cluster/demo/11111111-2222-3333-4444-555555555555-2';
  return { eventSource: 'aws:kafka', eventSourceArn, bootstrapServers, records } as Made;
}

function bytes(): Check {
  return { expected: 'bytes', accepts: (value) => value instanceof Uint8Array };
}
