import type { StopSignal } from '../base/stop.ts';

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
