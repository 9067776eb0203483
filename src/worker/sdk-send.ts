import { sqsWithMethods } from '../aws/sdk/command-client.ts';
import { bounded, type Limit } from '../base/bounded.ts';
import type { Clock } from '../base/clock.ts';
import { WORKER_CALL_MS, WORKER_RECEIVE_MS } from '../base/limits.ts';
import { platformSignal } from '../base/stop.ts';
import type { CommandClient } from '../options/command-client.ts';
import { type SendToSqs, SQS } from './direct-send.ts';

/** The part of AWS's SDK that a worker uses: `SQS` of `@aws-sdk/client-sqs` fits it. */
export interface WorkerSqsClient {
  /**
   * Receives up to ten messages.
   *
   * @param input The queue, and how long to wait and to hide messages, in seconds.
   * @param options The signal that ends the request.
   */
  receiveMessage(
    input: {
      QueueUrl: string;
      MaxNumberOfMessages: number;
      WaitTimeSeconds: number;
      VisibilityTimeout: number;
      MessageSystemAttributeNames: ['All'];
      MessageAttributeNames: ['All'];
      ReceiveRequestAttemptId?: string;
    },
    options?: CallOptions,
  ): Promise<{
    /** At most ten; absent where there are none. */
    Messages?: SdkMessage[] | undefined;
  }>;
  /**
   * Deletes up to ten messages. Those that SQS did not delete come back in `Failed`.
   *
   * @param input The queue, and up to ten messages.
   * @param options The signal that ends the request.
   */
  deleteMessageBatch(
    input: { QueueUrl: string; Entries: { Id: string; ReceiptHandle: string }[] },
    options?: CallOptions,
  ): Promise<BatchAnswer>;
  /**
   * Changes how long up to ten messages stay invisible.
   *
   * @param input The queue, and up to ten messages with their timeouts in seconds.
   * @param options The signal that ends the request.
   */
  changeMessageVisibilityBatch(
    input: {
      QueueUrl: string;
      Entries: { Id: string; ReceiptHandle: string; VisibilityTimeout: number }[];
    },
    options?: CallOptions,
  ): Promise<BatchAnswer>;
  /**
   * Returns the queue's ARN, visibility timeout and redrive policy.
   *
   * @param input The queue, and which of its attributes.
   * @param options The signal that ends the request.
   */
  getQueueAttributes(
    input: { QueueUrl: string; AttributeNames: ('QueueArn' | 'VisibilityTimeout' | 'RedrivePolicy')[] },
    options?: CallOptions,
  ): Promise<{
    /** Values by attribute name. */
    Attributes?: Record<string, string> | undefined;
  }>;
}

interface CallOptions {
  abortSignal?: AbortSignal;
}

interface BatchAnswer {
  Failed?: { Id?: string | undefined; Code?: string | undefined; Message?: string | undefined }[] | undefined;
}

/** A message as AWS's SDK gives it. */
export interface SdkMessage {
  MessageId?: string | undefined;
  ReceiptHandle?: string | undefined;
  Body?: string | undefined;
  MD5OfBody?: string | undefined;
  Attributes?: Record<string, string> | undefined;
  MessageAttributes?:
    | Record<
        string,
        {
          DataType?: string | undefined;
          StringValue?: string | undefined;
          BinaryValue?: Uint8Array | undefined;
        }
      >
    | undefined;
}

const OPERATIONS = {
  ReceiveMessage: 'receiveMessage',
  DeleteMessageBatch: 'deleteMessageBatch',
  ChangeMessageVisibilityBatch: 'changeMessageVisibilityBatch',
  GetQueueAttributes: 'getQueueAttributes',
} as const;

const CALL: Limit = { ms: WORKER_CALL_MS, signalAt: 1, signalIn: 'abortSignal' };
const LIMITS: Readonly<Record<keyof WorkerSqsClient, Limit>> = {
  receiveMessage: { ...CALL, ms: WORKER_RECEIVE_MS },
  deleteMessageBatch: CALL,
  changeMessageVisibilityBatch: CALL,
  getQueueAttributes: CALL,
};

/** The methods of `WorkerSqsClient`. */
export const WORKER_OPERATIONS: readonly (keyof WorkerSqsClient)[] = Object.values(OPERATIONS);

/**
 * Sends requests through a client of AWS's SDK, with time limits: the client has none. A receive without an
 * answer would keep its slots until the worker stops.
 */
export function sdkSend(given: WorkerSqsClient | CommandClient, clock: Clock): SendToSqs {
  const client = bounded(
    sqsWithMethods<WorkerSqsClient>(given, WORKER_OPERATIONS),
    LIMITS,
    (why, limitMs) => SQS.unanswered(why, undefined, limitMs),
    clock,
  );
  return (operation, input, signal) =>
    client[OPERATIONS[operation]](input as never, { abortSignal: platformSignal(signal) });
}
