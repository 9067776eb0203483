/**
 * The part of AWS's SDK that dead letters are operated with: `SQS` of `@aws-sdk/client-sqs` fits it. It is given, not
 * imported. The last five are asked for only when a queue is redriven, and a service that lacks them is no error.
 */
export interface DeadLetterSqs {
  /** Of the queue: its ARN, how many messages it holds, its redrive policy. */
  getQueueAttributes(
    input: { QueueUrl: string; AttributeNames: ['All'] },
    options?: SqsCallOptions,
  ): Promise<{ Attributes?: Partial<Record<string, string>> | undefined }>;
  /** Up to ten messages, with all of their attributes. */
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
  ): Promise<{ Messages?: readonly ReceivedMessage[] | undefined }>;
  /** Hides up to ten messages for longer, or shows them again. */
  changeMessageVisibilityBatch(
    input: {
      QueueUrl: string;
      Entries: { Id: string; ReceiptHandle: string; VisibilityTimeout: number }[];
    },
    options?: SqsCallOptions,
  ): Promise<{ Failed?: FailedEntry[] | undefined }>;
  /** Sends up to ten messages. */
  sendMessageBatch(
    input: { QueueUrl: string; Entries: SendEntry[] },
    options?: SqsCallOptions,
  ): Promise<{
    Successful?: { Id?: string | undefined; MessageId?: string | undefined }[] | undefined;
    Failed?: FailedEntry[] | undefined;
  }>;
  /** Deletes up to ten messages. */
  deleteMessageBatch(
    input: { QueueUrl: string; Entries: { Id: string; ReceiptHandle: string }[] },
    options?: SqsCallOptions,
  ): Promise<{ Failed?: FailedEntry[] | undefined }>;
  /** The queues whose redrive policies move messages to this one. */
  listDeadLetterSourceQueues(
    input: { QueueUrl: string; MaxResults?: number; NextToken?: string },
    options?: SqsCallOptions,
  ): Promise<{ queueUrls?: string[] | undefined; NextToken?: string | undefined }>;
  /** All queues, of a service that has no such call. */
  listQueues(
    input: { MaxResults?: number },
    options?: SqsCallOptions,
  ): Promise<{ QueueUrls?: string[] | undefined }>;
  /** Has SQS move all messages of a dead-letter queue. */
  startMessageMoveTask(
    input: { SourceArn: string; DestinationArn?: string },
    options?: SqsCallOptions,
  ): Promise<{ TaskHandle?: string | undefined }>;
  /** How far such moves are. */
  listMessageMoveTasks(
    input: { SourceArn: string; MaxResults?: number },
    options?: SqsCallOptions,
  ): Promise<{ Results?: readonly MoveTask[] | undefined }>;
  /** Stops such a move. */
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
