import { Buffer } from 'node:buffer';
import type { StopSignal } from '../base/stop.ts';

/** What a worker asks of SQS. */
type SqsOperation =
  | 'ReceiveMessage'
  | 'DeleteMessageBatch'
  | 'ChangeMessageVisibilityBatch'
  | 'GetQueueAttributes';

/** How requests reach SQS: through AWS's SDK, or without it. */
export type SendToSqs = (operation: SqsOperation, input: object, signal: StopSignal) => Promise<object>;

/** A queue of SQS. */
export function sqsQueue(send: SendToSqs, queueUrl: string): MessageQueue {
  const QueueUrl = queueUrl;
  return {
    async facts(signal) {
      const AttributeNames = ['QueueArn', 'VisibilityTimeout', 'RedrivePolicy'];
      const answer = await send('GetQueueAttributes', { QueueUrl, AttributeNames }, signal);
      const { QueueArn, VisibilityTimeout, RedrivePolicy } = (answer as AttributesAnswer).Attributes ?? {};
      if (QueueArn === undefined || !(Number(VisibilityTimeout) >= 0)) {
        throw new Error(`SQS gave no ARN or no visibility timeout of the queue ${queueUrl}`);
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
        ...(visibilitySeconds !== undefined && { VisibilityTimeout: visibilitySeconds }),
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
        ...(attemptId !== undefined && { ReceiveRequestAttemptId: attemptId }),
      };
      const { Messages } = (await send('ReceiveMessage', input, signal)) as ReceiveAnswer;
      return (Messages ?? []).map(toReceived);
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

interface AttributesAnswer {
  readonly Attributes?: Readonly<Partial<Record<string, string>>>;
}

interface ReceiveAnswer {
  readonly Messages?: readonly SqsMessage[];
}

interface SqsMessage {
  readonly MessageId?: string;
  readonly ReceiptHandle?: string;
  readonly Body?: string;
  readonly MD5OfBody?: string;
  readonly Attributes?: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<
    Record<
      string,
      {
        readonly DataType?: string;
        readonly StringValue?: string;
        /** Of the SDK; Base64 in SQS's own JSON. */
        readonly BinaryValue?: Uint8Array | string;
      }
    >
  >;
}

/** Of a redrive policy, which is JSON; tools write its number as a text too. */
function maxReceivesOf(redrivePolicy: string | undefined): number | undefined {
  try {
    const { maxReceiveCount } = JSON.parse(redrivePolicy ?? '{}') as { readonly maxReceiveCount?: unknown };
    return Number(maxReceiveCount) >= 1 ? Number(maxReceiveCount) : undefined;
  } catch {
    return undefined;
  }
}

/** By position: messages may have equal ids. */
function errorsOf(answer: object, count: number, what: string): (Error | undefined)[] {
  const errors: (Error | undefined)[] = Array.from({ length: count });
  const { Failed } = answer as {
    readonly Failed?: readonly { readonly Id?: string; readonly Code?: string; readonly Message?: string }[];
  };
  for (const { Id, Code, Message } of Failed ?? []) {
    errors[Number(Id)] = new Error(`${what}: ${Code ?? 'no code'} ${Message ?? ''}`.trimEnd());
  }
  return errors;
}

/** A message in the words of Lambda's record. */
function toReceived(message: SqsMessage): ReceivedMessage {
  const { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} } = message;
  const attributes = Object.entries(message.MessageAttributes ?? {});
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    md5OfBody: MD5OfBody,
    attributes: Attributes,
    messageAttributes: Object.fromEntries(
      attributes.map(
        ([name, { DataType = 'String', StringValue, BinaryValue }]): [string, MessageAttribute] => [
          name,
          {
            dataType: DataType,
            ...(StringValue !== undefined && { stringValue: StringValue }),
            ...(BinaryValue !== undefined && {
              binaryValue:
                typeof BinaryValue === 'string' ? BinaryValue : Buffer.from(BinaryValue).toString('base64'),
            }),
          },
        ],
      ),
    ),
  };
}

/** A message as SQS gives it to its receiver, in the words of Lambda's record. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly md5OfBody: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly messageAttributes: Readonly<Record<string, MessageAttribute>>;
}

/** An attribute of a message, in the words of Lambda's record. Binary values are in Base64. */
export interface MessageAttribute {
  readonly dataType: string;
  readonly stringValue?: string;
  readonly binaryValue?: string;
}

/** When a message becomes visible again. */
export interface VisibilityOf {
  readonly receiptHandle: string;
  /** From now, in whole seconds. */
  readonly seconds: number;
}

export interface QueueFacts {
  readonly arn: string;
  readonly visibilityTimeoutMs: number;
  /** After how many receives a message moves to a dead-letter queue; undefined: it never does. */
  readonly maxReceives?: number;
}

/** What a worker asks of its queue. No more than ten messages at a time: the callers see to it. */
export interface MessageQueue {
  /** Rejects where the queue does not exist or does not answer. */
  facts(signal: StopSignal): Promise<QueueFacts>;
  /** Waits for messages for up to `waitSeconds`, and hides them for `visibilitySeconds`; by default as long as the queue says. */
  receive(
    request: {
      readonly most: number;
      readonly waitSeconds: number;
      readonly visibilitySeconds?: number;
      readonly attemptId?: string;
    },
    signal: StopSignal,
  ): Promise<ReceivedMessage[]>;
  /** Gives an error for each message that was not deleted. Rejects where nothing was. */
  delete(receiptHandles: readonly string[], signal: StopSignal): Promise<(Error | undefined)[]>;
  /** The same for visibility. */
  changeVisibility(changes: readonly VisibilityOf[], signal: StopSignal): Promise<(Error | undefined)[]>;
}

/** SQS's limit of messages in a request. */
export const MOST_IN_REQUEST = 10;
