import { bounded, type Limit } from '../base/bounded.ts';
import type { Clock } from '../base/clock.ts';
import { SQS_CALL_MS } from '../base/limits.ts';

/**
 * The methods used of an SQS client, such as `SQS` of `@aws-sdk/client-sqs`. The client is passed in, not
 * imported, so that bundles that do not need one leave it out.
 */
export interface SqsClient {
  /**
   * Changes the visibility timeouts of up to ten messages. Entries that SQS refuses are in `Failed`.
   *
   * @param input The queue, and up to ten messages with their timeouts in seconds.
   * @param options The signal that ends the request.
   */
  changeMessageVisibilityBatch(
    input: { QueueUrl: string; Entries: VisibilityEntry[] },
    options?: SqsCallOptions,
  ): Promise<{
    /** The entries that SQS refused. */
    Failed?:
      | {
          /** The ID of the entry in the request. */
          Id?: string | undefined;
          /** The error code. */
          Code?: string | undefined;
          /** The error message. */
          Message?: string | undefined;
        }[]
      | undefined;
  }>;
  /**
   * Sends a message; used for dead letters.
   *
   * @param input The queue, the message and its attributes.
   * @param options The signal that ends the request.
   */
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

export const SQS_OPERATIONS = ['changeMessageVisibilityBatch', 'sendMessage'] as const;

const CALL: Limit = { ms: SQS_CALL_MS, signalAt: 1, signalIn: 'abortSignal' };

/** Limits calls to 5 seconds: the SDK waits without a limit, and would delay the response to Lambda. */
export function boundedSqs(client: SqsClient, clock: Clock): SqsClient {
  const limits = { changeMessageVisibilityBatch: CALL, sendMessage: CALL };
  return bounded(client, limits, unansweredBySqs, clock);
}

export function unansweredBySqs(_why: string, limitMs: number): Error {
  return new Error(`SQS did not answer within ${limitMs / 1_000} seconds`);
}
