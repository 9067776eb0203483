import { Buffer } from 'node:buffer';
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';

/** A received message, with the names of Lambda's record. */
export type ReceivedMessage = Pick<
  SQSRecord,
  'messageId' | 'receiptHandle' | 'body' | 'md5OfBody' | 'attributes' | 'messageAttributes'
>;

/** The requests of an event source mapping to its queue. */
export interface MappedQueue {
  /** Waits up to `waitSeconds` for up to `most` messages, at most 10. */
  receive(
    request: { readonly most: number; readonly waitSeconds: number },
    signal: AbortSignal,
  ): Promise<ReceivedMessage[]>;
  /** Deletes at most 10 messages; rejects if none was deleted. */
  delete(receiptHandles: readonly string[], signal: AbortSignal): Promise<void>;
}

/** Returns a queue that uses a client of AWS's SDK. */
export function sdkQueue(sqs: Pick<SQSClient, 'send'>, queueUrl: string): MappedQueue {
  const QueueUrl = queueUrl;
  return {
    async receive({ most, waitSeconds }, abortSignal) {
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: most,
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      });
      const { Messages = [] } = await sqs.send(command, { abortSignal });
      return Messages.map(toReceived);
    },
    async delete(receiptHandles, abortSignal) {
      const Entries = receiptHandles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }), { abortSignal });
    },
  };
}

function toReceived(message: Message): ReceivedMessage {
  const { MessageId = '', ReceiptHandle = '', Body = '', MD5OfBody = '', Attributes = {} } = message;
  const attributes = Object.entries(message.MessageAttributes ?? {});
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    md5OfBody: MD5OfBody,
    attributes: Attributes as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(
      attributes.map(([name, { DataType = 'String', StringValue, BinaryValue }]) => [
        name,
        {
          dataType: DataType,
          ...(StringValue !== undefined && { stringValue: StringValue }),
          ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
        },
      ]),
    ),
  };
}
