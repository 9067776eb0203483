import { sqsWithMethods } from '../aws/sdk/command-client.ts';
import { stoppableCall } from '../base/bounded-call.ts';
import type { Clock } from '../base/clock.ts';
import { platformSignal } from '../base/stop.ts';
import type { CommandClient } from '../options/command-client.ts';
import { SQS } from './direct-send.ts';
import type { SendToSqs } from './sqs-queue.ts';

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
   * The queue's ARN and its visibility timeout.
   *
   * @param input The queue, and which of its attributes.
   * @param options The signal that ends the request.
   */
  getQueueAttributes(
    input: { QueueUrl: string; AttributeNames: ('QueueArn' | 'VisibilityTimeout' | 'RedrivePolicy')[] },
    options?: CallOptions,
  ): Promise<{
    /** By their names. */
    Attributes?: Record<string, string> | undefined;
  }>;
}

interface CallOptions {
  abortSignal?: AbortSignal;
}

interface BatchAnswer {
  Failed?: { Id?: string | undefined; Code?: string | undefined; Message?: string | undefined }[] | undefined;
}

interface SdkMessage {
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

/** The methods of `WorkerSqsClient`. */
export const WORKER_OPERATIONS: readonly (keyof WorkerSqsClient)[] = Object.values(OPERATIONS);

/** A client of AWS's SDK as a worker's requests need it. */
export function sdkSend(given: WorkerSqsClient | CommandClient): SendToSqs {
  const client = sqsWithMethods<WorkerSqsClient>(given, WORKER_OPERATIONS);
  return (operation, input, signal) =>
    client[OPERATIONS[operation]](input as never, { abortSignal: platformSignal(signal) });
}

const LONGEST_CALL_MS = 10_000;
/** A receive waits for messages for 20 seconds. */
const LONGEST_RECEIVE_MS = 30_000;

/**
 * Requests that do not wait for an answer without end, as AWS's SDK does by default: a receive that is never answered would keep
 * its receiver, and its share of the slots, until the worker stops.
 */
export function boundedSend(send: SendToSqs, clock: Clock): SendToSqs {
  return (operation, input, signal) => {
    const limitMs = operation === 'ReceiveMessage' ? LONGEST_RECEIVE_MS : LONGEST_CALL_MS;
    return stoppableCall((stop) => send(operation, input, stop), {
      clock,
      limitMs,
      signal,
      errorOf: (why) => SQS.unanswered(why, undefined, limitMs),
    });
  };
}
