import type { StopSignal } from '../base/stop.ts';
import type { SendToSqs } from './direct-send.ts';
import type { SdkMessage, WorkerSqsClient } from './sdk-send.ts';

export function sqsQueue(send: SendToSqs, queueUrl: string): MessageQueue {
  const QueueUrl = queueUrl;
  return {
    async facts(signal) {
      const AttributeNames = ['QueueArn', 'VisibilityTimeout', 'RedrivePolicy'];
      const answer = await send('GetQueueAttributes', { QueueUrl, AttributeNames }, signal);
      const { Attributes = {} } = answer as AnswerOf<'getQueueAttributes'>;
      const { QueueArn, VisibilityTimeout, RedrivePolicy } = Attributes;
      if (QueueArn === undefined || !(Number(VisibilityTimeout) >= 0)) {
        throw new Error(`SQS returned no ARN or visibility timeout of ${queueUrl}`);
      }
      const maxReceives = maxReceivesOf(RedrivePolicy);
      return {
        arn: QueueArn,
        visibilityTimeoutMs: Number(VisibilityTimeout) * 1_000,
        ...(maxReceives !== undefined && { maxReceives }),
      };
    },
    async receive({ most, waitSeconds, visibilitySeconds, attemptId }, signal) {
      const input = {
        QueueUrl,
        MaxNumberOfMessages: most,
        WaitTimeSeconds: waitSeconds,
        VisibilityTimeout: visibilitySeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
        ...(attemptId !== undefined && { ReceiveRequestAttemptId: attemptId }),
      };
      const answer = await send('ReceiveMessage', input, signal);
      return ((answer as AnswerOf<'receiveMessage'>).Messages ?? []).map(toReceived);
    },
    async delete(receiptHandles, signal) {
      const Entries = receiptHandles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
      const answer = await send('DeleteMessageBatch', { QueueUrl, Entries }, signal);
      return errorsOf(answer, receiptHandles.length, 'SQS did not delete the message');
    },
    async changeVisibility(changes, signal) {
      const Entries = changes.map(({ receiptHandle, seconds }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }));
      const answer = await send('ChangeMessageVisibilityBatch', { QueueUrl, Entries }, signal);
      return errorsOf(answer, changes.length, "SQS did not change the message's visibility");
    },
  };
}

type AnswerOf<Name extends keyof WorkerSqsClient> = Awaited<ReturnType<WorkerSqsClient[Name]>>;

/** Some tools write the number in the policy's JSON as a string. */
function maxReceivesOf(redrivePolicy: string | undefined): number | undefined {
  try {
    const { maxReceiveCount } = JSON.parse(redrivePolicy ?? '{}') as { readonly maxReceiveCount?: unknown };
    return Number(maxReceiveCount) >= 1 ? Number(maxReceiveCount) : undefined;
  } catch {
    return undefined;
  }
}

/** Matches errors by position: messages may have equal ids. */
function errorsOf(answer: object, count: number, what: string): (Error | undefined)[] {
  const errors: (Error | undefined)[] = Array.from({ length: count });
  for (const { Id, Code, Message } of (answer as AnswerOf<'deleteMessageBatch'>).Failed ?? []) {
    errors[Number(Id)] = new Error(`${what}: ${Code ?? 'no code'} ${Message ?? ''}`.trimEnd());
  }
  return errors;
}

function toReceived(message: SdkMessage): ReceivedMessage {
  const { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} } = message;
  const messageAttributes = Object.entries(message.MessageAttributes ?? {}).map(
    ([name, { DataType = 'String', StringValue, BinaryValue }]): [string, MessageAttribute] => [
      name,
      {
        dataType: DataType,
        ...(StringValue !== undefined && { stringValue: StringValue }),
        ...(BinaryValue !== undefined && { binaryValue: base64Of(BinaryValue) }),
      },
    ],
  );
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    md5OfBody: MD5OfBody,
    attributes: Attributes,
    messageAttributes: Object.fromEntries(messageAttributes),
  };
}

/** The SDK returns bytes, SQS's own JSON Base64. */
function base64Of(value: Uint8Array | string): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('base64');
}

/** A message with the member names of Lambda's record. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly md5OfBody: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageAttributes: Readonly<Record<string, MessageAttribute>>;
}

/** An attribute of a message; binary values are in Base64. */
export interface MessageAttribute {
  readonly dataType: string;
  readonly stringValue?: string;
  readonly binaryValue?: string;
}

export interface VisibilityOf {
  readonly receiptHandle: string;
  /** From now, in whole seconds. */
  readonly seconds: number;
}

export interface QueueFacts {
  readonly arn: string;
  readonly visibilityTimeoutMs: number;
  /** The receive count after which a message moves to the dead-letter queue; undefined without one. */
  readonly maxReceives?: number;
}

/** The requests of a worker to its queue. Callers pass at most ten messages. */
export interface MessageQueue {
  /** Rejects if the queue does not exist or does not answer. */
  facts(signal: StopSignal): Promise<QueueFacts>;
  /** Waits for messages for up to `waitSeconds`, and hides them for `visibilitySeconds`. */
  receive(
    request: {
      readonly most: number;
      readonly waitSeconds: number;
      readonly visibilitySeconds: number;
      readonly attemptId?: string;
    },
    signal: StopSignal,
  ): Promise<ReceivedMessage[]>;
  /** Returns an error for each message that was not deleted. Rejects if none was. */
  delete(receiptHandles: readonly string[], signal: StopSignal): Promise<(Error | undefined)[]>;
  /** Returns an error for each message whose visibility was not changed. Rejects if none was. */
  changeVisibility(changes: readonly VisibilityOf[], signal: StopSignal): Promise<(Error | undefined)[]>;
}

/** SQS's limit of messages in a request. */
export const MOST_IN_REQUEST = 10;

/** Returns the errors of a request's messages. Never rejects: a failed request fails each message. */
export async function errorsOfEach(
  count: number,
  request: () => Promise<readonly (Error | undefined)[]>,
): Promise<readonly (Error | undefined)[]> {
  try {
    return await request();
  } catch (thrown) {
    return Array.from({ length: count }, () => toError(thrown));
  }
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
