import type { SqsClient } from '../../queues/sqs-client.ts';

/**
 * The SQS operations for dead letters, as in `SQS` of `@aws-sdk/client-sqs`. A service may lack the last
 * five.
 */
export interface DeadLetterSqs extends Pick<SqsClient, 'changeMessageVisibilityBatch'> {
  /**
   * Returns the queue's ARN, message counts and redrive policy.
   *
   * @param input The queue.
   * @param options A signal that aborts the request.
   */
  getQueueAttributes(
    input: { QueueUrl: string; AttributeNames: ['All'] },
    options?: SqsCallOptions,
  ): Promise<{
    /** The attributes by name. */
    Attributes?: Partial<Record<string, string>> | undefined;
  }>;
  /**
   * Receives up to ten messages, with all of their attributes.
   *
   * @param input The queue, and how long to wait and to hide the messages, in seconds.
   * @param options A signal that aborts the request.
   */
  receiveMessage(
    input: {
      QueueUrl: string;
      MaxNumberOfMessages: number;
      VisibilityTimeout: number;
      WaitTimeSeconds: number;
      MessageSystemAttributeNames: ['All'];
      MessageAttributeNames: ['All'];
    },
    options?: SqsCallOptions,
  ): Promise<{
    /** Up to ten messages; absent if there are none. */
    Messages?: readonly ReceivedMessage[] | undefined;
  }>;
  /**
   * Sends up to ten messages.
   *
   * @param input The queue, and up to ten messages.
   * @param options A signal that aborts the request.
   */
  sendMessageBatch(
    input: { QueueUrl: string; Entries: SendEntry[] },
    options?: SqsCallOptions,
  ): Promise<{
    /** The entries that were sent. */
    Successful?:
      | {
          /** The id of the entry in the request. */
          Id?: string | undefined;
          /** The id that SQS gave the message. */
          MessageId?: string | undefined;
        }[]
      | undefined;
    /** The entries that SQS refused. */
    Failed?: FailedEntry[] | undefined;
  }>;
  /**
   * Deletes up to ten messages.
   *
   * @param input The queue, and up to ten messages.
   * @param options A signal that aborts the request.
   */
  deleteMessageBatch(
    input: { QueueUrl: string; Entries: { Id: string; ReceiptHandle: string }[] },
    options?: SqsCallOptions,
  ): Promise<{
    /** The entries that SQS refused. */
    Failed?: FailedEntry[] | undefined;
  }>;
  /**
   * Lists the queues whose redrive policies move messages to this one.
   *
   * @param input The dead-letter queue, and where to continue.
   * @param options A signal that aborts the request.
   */
  listDeadLetterSourceQueues(
    input: { QueueUrl: string; MaxResults?: number; NextToken?: string },
    options?: SqsCallOptions,
  ): Promise<{
    /** The URLs of the queues. */
    queueUrls?: string[] | undefined;
    /** The token of the next page; absent at the end. */
    NextToken?: string | undefined;
  }>;
  /**
   * Lists all queues, for services without `listDeadLetterSourceQueues`.
   *
   * @param input The maximum number of queues.
   * @param options A signal that aborts the request.
   */
  listQueues(
    input: { MaxResults?: number },
    options?: SqsCallOptions,
  ): Promise<{
    /** The URLs of the queues. */
    QueueUrls?: string[] | undefined;
  }>;
  /**
   * Starts a task in which SQS moves all messages of a dead-letter queue.
   *
   * @param input The dead-letter queue, and the destination. Default: the queues the messages came from.
   * @param options A signal that aborts the request.
   */
  startMessageMoveTask(
    input: { SourceArn: string; DestinationArn?: string },
    options?: SqsCallOptions,
  ): Promise<{
    /** The handle that cancels the task. */
    TaskHandle?: string | undefined;
  }>;
  /**
   * Lists the progress of such tasks.
   *
   * @param input The dead-letter queue, and the maximum number of tasks.
   * @param options A signal that aborts the request.
   */
  listMessageMoveTasks(
    input: { SourceArn: string; MaxResults?: number },
    options?: SqsCallOptions,
  ): Promise<{
    /** The most recent tasks. */
    Results?: readonly MoveTask[] | undefined;
  }>;
  /**
   * Cancels such a task.
   *
   * @param input The task.
   * @param options A signal that aborts the request.
   */
  cancelMessageMoveTask(input: { TaskHandle: string }, options?: SqsCallOptions): Promise<unknown>;
}

/** A message as SQS returns it. */
export interface ReceivedMessage {
  /** The message id. */
  MessageId?: string | undefined;
  /** The handle of this receive, for deleting the message or changing its visibility. */
  ReceiptHandle?: string | undefined;
  /** The body. */
  Body?: string | undefined;
  /** The system attributes. */
  Attributes?: Partial<Record<string, string>> | undefined;
  /** The sender's attributes. */
  MessageAttributes?: Record<string, MessageAttribute> | undefined;
}

/** A message attribute. */
export interface MessageAttribute {
  /** `String`, `Number` or `Binary`, with an optional custom label. */
  DataType: string | undefined;
  /** The value of a string or a number. */
  StringValue?: string | undefined;
  /** The value of a binary. */
  BinaryValue?: Uint8Array | undefined;
}

/** An entry of a send request. */
export interface SendEntry {
  /** The id of the entry in the response. */
  Id: string;
  /** The body. */
  MessageBody: string;
  /** The sender's attributes. */
  MessageAttributes?: Record<string, MessageAttribute>;
  /** The X-Ray trace header. */
  MessageSystemAttributes?: { AWSTraceHeader?: MessageAttribute };
  /** The message group, of FIFO queues and fair queues. */
  MessageGroupId?: string;
  /** The deduplication id, of FIFO queues: SQS keeps one of the messages sent with it within five minutes. */
  MessageDeduplicationId?: string;
}

/** An entry that SQS refused. */
export interface FailedEntry {
  /** The id of the entry in the request. */
  Id?: string | undefined;
  /** The error code. */
  Code?: string | undefined;
  /** The error message. */
  Message?: string | undefined;
  /** Whether the request is at fault, so that sending it again cannot help. */
  SenderFault?: boolean | undefined;
}

/** A task in which SQS moves all messages of a queue. */
export interface MoveTask {
  /** The handle, while the task is running. */
  TaskHandle?: string | undefined;
  /** `RUNNING`, `COMPLETED`, `CANCELLING`, `CANCELLED` or `FAILED`. */
  Status?: string | undefined;
  /** The approximate number of messages moved. */
  ApproximateNumberOfMessagesMoved?: number | undefined;
  /** The approximate number of messages at the start. */
  ApproximateNumberOfMessagesToMove?: number | undefined;
  /** The reason, if the task failed. */
  FailureReason?: string | undefined;
  /** When the task started, in epoch milliseconds. */
  StartedTimestamp?: number | undefined;
}

interface SqsCallOptions {
  abortSignal?: AbortSignal;
}
