/** The invocation of an event. */
export interface ObservedInvocation {
  /** Lambda's request ID; absent outside Lambda. */
  readonly requestId?: string;
  /** The function's name; absent if neither the context nor the environment has it. */
  readonly functionName?: string;
  /** The service that delivered the records, such as `sqs`; `unknown` if no record can be read. */
  readonly source: string;
  /** The `destination` of the first readable record. */
  readonly destination: string | undefined;
  /** How many records were delivered. */
  readonly records: number;
  /**
   * The message groups of messages that a standard SQS queue delivers for the first time (fair queues), one
   * for each message. Computed on each access. Do not log them: they may name tenants.
   */
  readonly fairGroups: readonly string[];
  /**
   * Returns a record's metadata; undefined for an unknown ID. If several records share the ID, the first
   * one's.
   *
   * @param recordId Identifies the record to its sender.
   */
  recordOf(recordId: string): ObservedRecord | undefined;
  /**
   * Returns a record's type of message: one that `messages()` declares, or `other`. Undefined without
   * `routes()`. If several records share the ID, the first one's.
   *
   * @param recordId Identifies the record to its sender.
   */
  typeOf(recordId: string): string | undefined;
}

/** The metadata of a record. */
export interface ObservedRecord {
  /** The ARN of the queue, stream or topic; undefined if the service does not report it. */
  readonly sourceArn: string | undefined;
  /** The name of the queue, stream, topic, table, bucket or event source, at most 256 visible characters. */
  readonly destination: string | undefined;
  /** Epoch milliseconds; undefined if unknown. For Kafka and EventBridge, the sender's own claim. */
  readonly sentAt: number | undefined;
  /** The type of message: one that `messages()` declares, or `other`. Undefined without `routes()`. */
  readonly type: string | undefined;
  /** How often the record has been delivered, from 1; always 1 for sources other than SQS. */
  readonly receiveCount: number;
  /**
   * Returns a string attribute or header, such as `traceparent`; `x-amzn-trace-id` also finds SQS's
   * `AWSTraceHeader`. Senders choose these values: those longer than 8,192 characters or not of visible ASCII
   * are undefined.
   *
   * @param name The name, such as `traceparent`.
   */
  headerOf(name: string): string | undefined;
}
