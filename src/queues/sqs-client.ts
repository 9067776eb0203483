/**
 * The part of AWS's SDK that is used here: `SQS` of `@aws-sdk/client-sqs` fits it. It is given, not imported,
 * so that a function that needs none of this does not carry an SQS client in its bundle.
 */
export interface SqsClient {
  /** Changes how long up to ten messages stay invisible. Entries that SQS refuses come back in `Failed`. */
  changeMessageVisibilityBatch(
    input: { QueueUrl: string; Entries: VisibilityEntry[] },
    options?: SqsCallOptions,
  ): Promise<{
    Failed?:
      | { Id?: string | undefined; Code?: string | undefined; Message?: string | undefined }[]
      | undefined;
  }>;
  /** Sends one message; used for dead letters. */
  sendMessage(
    input: {
      QueueUrl: string;
      MessageBody: string;
      MessageAttributes: Record<string, { DataType: string; StringValue: string }>;
      MessageGroupId?: string;
      MessageDeduplicationId?: string;
    },
    options?: SqsCallOptions,
  ): Promise<unknown>;
}

interface VisibilityEntry {
  Id: string;
  ReceiptHandle: string;
  VisibilityTimeout: number;
}

interface SqsCallOptions {
  abortSignal?: AbortSignal;
}
