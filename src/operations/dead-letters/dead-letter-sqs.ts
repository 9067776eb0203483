import type { SqsClient } from '../../queues/sqs-client.ts';

/**
 * The part of AWS's SDK that dead letters are operated with: `SQS` of `@aws-sdk/client-sqs` fits it. It is given, not
 * imported. The last five are asked for only when a queue is redriven, and a service that lacks them is no error.
 */
export interface DeadLetterSqs extends Pick<SqsClient, 'changeMessageVisibilityBatch'> {
  /**
   * Of the queue: its ARN, how many messages it holds, its redrive policy.
   *
   * @param input The queue.
   * @param options The signal that ends the request.
   */
  getQueueAttributes(
    input: { QueueUrl: string; AttributeNames: ['All'] },
    options?: SqsCallOptions,
  ): Promise<{
    /** By their names. */
    Attributes?: Partial<Record<string, string>> | undefined;
  }>;
  /**
   * Up to ten messages, with all of their attributes.
   *
   * @param input The queue, and how long to wait and to hide messages, in seconds.
   * @param options The signal that ends the request.
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
    /** At most ten; absent where there are none. */
    Messages?: readonly ReceivedMessage[] | undefined;
  }>;
  /**
   * Sends up to ten messages.
   *
   * @param input The queue, and up to ten messages.
   * @param options The signal that ends the request.
   */
  sendMessageBatch(
    input: { QueueUrl: string; Entries: SendEntry[] },
    options?: SqsCallOptions,
  ): Promise<{
    /** The entries that were sent. */
    Successful?:
      | {
          /** Names the entry as the request did. */
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
   * @param options The signal that ends the request.
   */
  deleteMessageBatch(
    input: { QueueUrl: string; Entries: { Id: string; ReceiptHandle: string }[] },
    options?: SqsCallOptions,
  ): Promise<{
    /** The entries that SQS refused. */
    Failed?: FailedEntry[] | undefined;
  }>;
  /**
   * The queues whose redrive policies move messages to this one.
   *
   * @param input The dead-letter queue, and where to go on.
   * @param options The signal that ends the request.
   */
  listDeadLetterSourceQueues(
    input: { QueueUrl: string; MaxResults?: number; NextToken?: string },
    options?: SqsCallOptions,
  ): Promise<{
    /** The URLs of the queues. */
    queueUrls?: string[] | undefined;
    /** Where to go on; absent at the end. */
    NextToken?: string | undefined;
  }>;
  /**
   * All queues, of a service that has no such call.
   *
   * @param input How many at most.
   * @param options The signal that ends the request.
   */
  listQueues(
    input: { MaxResults?: number },
    options?: SqsCallOptions,
  ): Promise<{
    /** The URLs of the queues. */
    QueueUrls?: string[] | undefined;
  }>;
  /**
   * Has SQS move all messages of a dead-letter queue.
   *
   * @param input The dead-letter queue, and where its messages go. Default: where they came from.
   * @param options The signal that ends the request.
   */
  startMessageMoveTask(
    input: { SourceArn: string; DestinationArn?: string },
    options?: SqsCallOptions,
  ): Promise<{
    /** What the move is stopped by. */
    TaskHandle?: string | undefined;
  }>;
  /**
   * How far such moves are.
   *
   * @param input The dead-letter queue, and how many at most.
   * @param options The signal that ends the request.
   */
  listMessageMoveTasks(
    input: { SourceArn: string; MaxResults?: number },
    options?: SqsCallOptions,
  ): Promise<{
    /** The most recent moves. */
    Results?: readonly MoveTask[] | undefined;
  }>;
  /**
   * Stops such a move.
   *
   * @param input Which move.
   * @param options The signal that ends the request.
   */
  cancelMessageMoveTask(input: { TaskHandle: string }, options?: SqsCallOptions): Promise<unknown>;
}

/** A message as SQS answers it. */
export interface ReceivedMessage {
  /** The service's id of the message. */
  MessageId?: string | undefined;
  /** What this receive is answered with. */
  ReceiptHandle?: string | undefined;
  /** As it was sent. */
  Body?: string | undefined;
  /** What SQS says of it. */
  Attributes?: Partial<Record<string, string>> | undefined;
  /** What its sender says of it. */
  MessageAttributes?: Record<string, MessageAttribute> | undefined;
}

/** A message attribute. */
export interface MessageAttribute {
  /** `String`, `Number` or `Binary`, and what the sender put behind it. */
  DataType: string | undefined;
  /** Of a string or a number. */
  StringValue?: string | undefined;
  /** Of bytes. */
  BinaryValue?: Uint8Array | undefined;
}

/** One message to be sent. */
export interface SendEntry {
  /** Names it in the answer. */
  Id: string;
  /** Its body. */
  MessageBody: string;
  /** What its sender says of it. */
  MessageAttributes?: Record<string, MessageAttribute>;
  /** The trace that it belongs to. */
  MessageSystemAttributes?: { AWSTraceHeader?: MessageAttribute };
  /** Its group, of FIFO queues and fair queues. */
  MessageGroupId?: string;
  /** Of FIFO queues: messages with one id that are sent within five minutes are one message. */
  MessageDeduplicationId?: string;
}

/** What SQS did not do of a batch. */
export interface FailedEntry {
  /** Names it as the request did. */
  Id?: string | undefined;
  /** Why. */
  Code?: string | undefined;
  /** Why, in words. */
  Message?: string | undefined;
  /** Whether to send it again is of no use. */
  SenderFault?: boolean | undefined;
}

/** A move of all messages of a queue. */
export interface MoveTask {
  /** Of one that is running. */
  TaskHandle?: string | undefined;
  /** `RUNNING`, `COMPLETED`, `CANCELLING`, `CANCELLED` or `FAILED`. */
  Status?: string | undefined;
  /** How many messages it has moved. */
  ApproximateNumberOfMessagesMoved?: number | undefined;
  /** How many there were when it started. */
  ApproximateNumberOfMessagesToMove?: number | undefined;
  /** Why it failed. */
  FailureReason?: string | undefined;
  /** In epoch milliseconds. */
  StartedTimestamp?: number | undefined;
}

interface SqsCallOptions {
  abortSignal?: AbortSignal;
}
