import { bounded, type Limit } from '../base/bounded.ts';
import type { Clock } from '../base/clock.ts';
import { SQS_CALL_MS } from '../base/limits.ts';

/**
 * The part of AWS's SDK that is used here: `SQS` of `@aws-sdk/client-sqs` fits it. It is given, not imported,
 * so that a function that needs none of this does not carry an SQS client in its bundle.
 */
export interface SqsClient {
  /**
   * Changes how long up to ten messages stay invisible. Entries that SQS refuses come back in `Failed`.
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
          /** Names the entry as the request did. */
          Id?: string | undefined;
          /** SQS's code of the error. */
          Code?: string | undefined;
          /** Why, in words. */
          Message?: string | undefined;
        }[]
      | undefined;
  }>;
  /**
   * Sends one message; used for dead letters.
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

/** The client, whose calls end within 5 seconds: the SDK waits without a limit, and the answer to Lambda would with it. */
export function boundedSqs(client: SqsClient, clock: Clock): SqsClient {
  const limits = { changeMessageVisibilityBatch: CALL, sendMessage: CALL };
  return bounded(client, limits, unansweredBySqs, clock);
}

export function unansweredBySqs(_why: string, limitMs: number): Error {
  return new Error(`SQS did not answer within ${limitMs / 1_000} seconds`);
}
