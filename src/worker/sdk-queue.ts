import type { ReceivedMessage, MessageAttribute, MessageQueue } from './message-queue.ts';
import { type StopSignal, platformSignal } from '../claims/stop.ts';

/** The part of AWS's SDK that a worker uses: `SQS` of `@aws-sdk/client-sqs` fits it. */
export interface WorkerSqsClient {
  /** Receives up to ten messages. */
  receiveMessage(
    input: {
      QueueUrl: string;
      MaxNumberOfMessages: number;
      WaitTimeSeconds: number;
      MessageSystemAttributeNames: ['All'];
      MessageAttributeNames: ['All'];
      ReceiveRequestAttemptId?: string;
    },
    options?: CallOptions,
  ): Promise<{ Messages?: SdkMessage[] | undefined }>;
  /** Deletes up to ten messages. Those that SQS did not delete come back in `Failed`. */
  deleteMessageBatch(
    input: { QueueUrl: string; Entries: { Id: string; ReceiptHandle: string }[] },
    options?: CallOptions,
  ): Promise<BatchAnswer>;
  /** Changes how long up to ten messages stay invisible. */
  changeMessageVisibilityBatch(
    input: {
      QueueUrl: string;
      Entries: { Id: string; ReceiptHandle: string; VisibilityTimeout: number }[];
    },
    options?: CallOptions,
  ): Promise<BatchAnswer>;
  /** The queue's ARN and its visibility timeout. */
  getQueueAttributes(
    input: { QueueUrl: string; AttributeNames: ('QueueArn' | 'VisibilityTimeout')[] },
    options?: CallOptions,
  ): Promise<{ Attributes?: Record<string, string> | undefined }>;
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

/** A queue through a client of AWS's SDK. */
export function sdkQueue(client: WorkerSqsClient, queueUrl: string): MessageQueue {
  const QueueUrl = queueUrl;
  const until = (signal: StopSignal): CallOptions => ({ abortSignal: platformSignal(signal) });
  return {
    async facts(signal) {
      const { Attributes: { QueueArn, VisibilityTimeout } = {} } = await client.getQueueAttributes(
        { QueueUrl, AttributeNames: ['QueueArn', 'VisibilityTimeout'] },
        until(signal),
      );
      if (QueueArn === undefined || !(Number(VisibilityTimeout) >= 0)) {
        throw new Error(`SQS gave no ARN or no visibility timeout of the queue ${queueUrl}`);
      }
      return { arn: QueueArn, visibilityTimeoutMs: Number(VisibilityTimeout) * 1_000 };
    },
    async receive({ most, waitSeconds, attemptId }, signal) {
      const { Messages = [] } = await client.receiveMessage(
        {
          QueueUrl,
          MaxNumberOfMessages: most,
          WaitTimeSeconds: waitSeconds,
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
          ...(attemptId !== undefined && { ReceiveRequestAttemptId: attemptId }),
        },
        until(signal),
      );
      return Messages.map(toReceived);
    },
    async delete(receiptHandles, signal) {
      const Entries = receiptHandles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
      const answer = await client.deleteMessageBatch({ QueueUrl, Entries }, until(signal));
      return errorsOf(answer, receiptHandles.length, 'SQS did not delete the message');
    },
    async changeVisibility(changes, signal) {
      const Entries = changes.map(({ receiptHandle, seconds }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }));
      const answer = await client.changeMessageVisibilityBatch({ QueueUrl, Entries }, until(signal));
      return errorsOf(answer, changes.length, "SQS did not change the message's visibility");
    },
  };
}

/** By position: messages may have equal ids. */
function errorsOf({ Failed = [] }: BatchAnswer, count: number, what: string): (Error | undefined)[] {
  const errors: (Error | undefined)[] = Array.from({ length: count });
  for (const { Id, Code, Message } of Failed) {
    errors[Number(Id)] = new Error(`${what}: ${Code ?? 'no code'} ${Message ?? ''}`.trimEnd());
  }
  return errors;
}

function toReceived(message: SdkMessage): ReceivedMessage {
  const { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} } = message;
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    md5OfBody: MD5OfBody,
    attributes: Attributes,
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]): [string, MessageAttribute] => [
        name,
        {
          dataType: value.DataType ?? 'String',
          ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
          ...(value.BinaryValue !== undefined && {
            binaryValue: Buffer.from(value.BinaryValue).toString('base64'),
          }),
        },
      ]),
    ),
  };
}
