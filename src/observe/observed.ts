/** The invocation that an event belongs to. */
export interface ObservedInvocation {
  /** Lambda's request id; absent outside Lambda. */
  readonly requestId?: string;
  /** The function's name; absent where neither the context nor the environment has one. */
  readonly functionName?: string;
  /** Which service delivered the records, such as `sqs`; `unknown` where none of them can be read. */
  readonly source: string;
  /** The name of the queue, stream or topic of its first record that can be read, as `ObservedRecord` has it. */
  readonly destination: string | undefined;
  /** How many records were delivered. */
  readonly records: number;
  /**
   * What is known of a record beside its body. Undefined for an unknown id; of records with the same id, the first.
   *
   * @param recordId Identifies the record to its sender.
   */
  recordOf(recordId: string): ObservedRecord | undefined;
}

/** What a record says of itself beside its body. */
export interface ObservedRecord {
  /** The queue's, stream's or topic's ARN; undefined where the service does not tell. */
  readonly sourceArn: string | undefined;
  /** The name of the queue, stream, topic, table, bucket or event source, of at most 256 visible characters. */
  readonly destination: string | undefined;
  /** Epoch milliseconds; undefined where the service does not tell. Kafka and EventBridge take the sender's word for it. */
  readonly sentAt: number | undefined;
  /** How often the record has been delivered, from 1; of other sources than SQS always 1. */
  readonly receiveCount: number;
  /**
   * A string attribute or header by its name, such as `traceparent`; `x-amzn-trace-id` is also SQS's own `AWSTraceHeader`.
   * Whoever can send a message chooses them: undefined for what is longer than 8,192 characters or holds others than visible ASCII.
   *
   * @param name Such as `traceparent`.
   */
  headerOf(name: string): string | undefined;
}
