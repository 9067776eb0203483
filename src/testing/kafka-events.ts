import { Buffer } from 'node:buffer';
import { aBoolean, anInteger, anObject, aString, type Check, either } from '../options/check-options.ts';
import { aFiniteNumber, base64Of, checkBuilderOptions, checkRecords } from './check-members.ts';
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

/**
 * Which kind of cluster the records come from.
 *
 * @typeParam SelfManaged Whether it is not Amazon's.
 */
export interface KafkaEventOptions<SelfManaged extends boolean = boolean> {
  /** Without an ARN in the event, as of a cluster that is not Amazon's. Default: false. */
  readonly selfManaged?: SelfManaged;
}

/**
 * A batch of Kafka as Lambda delivers it, its records by topic and partition.
 *
 * @typeParam SelfManaged Whether the cluster is not Amazon's.
 * @param messages What is said of each record.
 * @param options Which kind of cluster they come from.
 * @throws `ConfigurationError` for a member or an option that is unknown or impossible.
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
  checkBuilderOptions('kafkaEvent', options, { selfManaged: aBoolean() });
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
