interface CallOptions {
  abortSignal?: AbortSignal;
}

/** The answer of SQS and SNS to a batch. */
export interface BatchResult {
  /** The entries that were taken. */
  Successful?:
    | {
        /** The ID of the entry in the request. */
        Id?: string | undefined;
      }[]
    | undefined;
  /** The entries that were not taken. */
  Failed?:
    | {
        /** The ID of the entry in the request. */
        Id?: string | undefined;
        /** The error code. */
        Code?: string | undefined;
        /** The error message. */
        Message?: string | undefined;
        /** Whether the sender caused the error. */
        SenderFault?: boolean | undefined;
      }[]
    | undefined;
}

/** The answer of EventBridge to a batch. */
export interface EventsResult {
  /** A result for each entry, in order. */
  Entries?:
    | {
        /** The event's ID, if it was taken. */
        EventId?: string | undefined;
        /** The error code. */
        ErrorCode?: string | undefined;
        /** The error message. */
        ErrorMessage?: string | undefined;
      }[]
    | undefined;
}

/** The part of AWS's SDK that a sender to a queue uses: `SQS` of `@aws-sdk/client-sqs` fits it. */
export interface QueueClient {
  /**
   * Sends up to ten messages.
   *
   * @param input The queue and the messages.
   * @param options The signal that ends the request.
   */
  sendMessageBatch(
    input: {
      QueueUrl: string;
      Entries: {
        Id: string;
        MessageBody: string;
        MessageAttributes: Record<string, { DataType: string; StringValue: string }>;
        DelaySeconds?: number;
        MessageGroupId?: string;
        MessageDeduplicationId?: string;
      }[];
    },
    options?: CallOptions,
  ): Promise<BatchResult>;
}

/** The part of AWS's SDK that a sender to a topic uses: `SNS` of `@aws-sdk/client-sns` fits it. */
export interface TopicClient {
  /**
   * Publishes up to ten messages.
   *
   * @param input The topic and the messages.
   * @param options The signal that ends the request.
   */
  publishBatch(
    input: {
      TopicArn: string;
      PublishBatchRequestEntries: {
        Id: string;
        Message: string;
        MessageAttributes: Record<string, { DataType: string; StringValue: string }>;
        MessageGroupId?: string;
        MessageDeduplicationId?: string;
      }[];
    },
    options?: CallOptions,
  ): Promise<BatchResult>;
}

/** The part of AWS's SDK for event buses: `EventBridge` of `@aws-sdk/client-eventbridge` fits it. */
export interface EventBusClient {
  /**
   * Puts up to ten events.
   *
   * @param input The events.
   * @param options The signal that ends the request.
   */
  putEvents(
    input: { Entries: { EventBusName: string; Source: string; DetailType: string; Detail: string }[] },
    options?: CallOptions,
  ): Promise<EventsResult>;
}
