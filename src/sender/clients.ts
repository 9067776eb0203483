interface CallOptions {
  abortSignal?: AbortSignal;
}

interface Attribute {
  DataType: string;
  StringValue: string;
}

interface FailedResult {
  Id?: string | undefined;
  Code?: string | undefined;
  Message?: string | undefined;
  SenderFault?: boolean | undefined;
}

/** The answer of SQS and SNS to a batch. */
export interface BatchResult {
  Successful?: { Id?: string | undefined }[] | undefined;
  Failed?: FailedResult[] | undefined;
}

/** The answer of EventBridge to a batch: a result for each entry, in order. */
export interface EventsResult {
  Entries?:
    | {
        EventId?: string | undefined;
        ErrorCode?: string | undefined;
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
        MessageAttributes: Record<string, Attribute>;
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
        MessageAttributes: Record<string, Attribute>;
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
