/** A message to send. */
export interface MessageToSend {
  readonly queueUrl: string;
  readonly body: string;
  /** The message group; required for a FIFO queue. */
  readonly groupId?: string;
  /** The deduplication id; for a FIFO queue alone. Default there: a hash of the body. */
  readonly dedupId?: string;
}

/** The part of `batchlatch send` that sends one message. */
export interface MessageSender {
  /** Returns why SQS would not take the message; undefined if it would. */
  problemOf(message: MessageToSend): string | undefined;
  /** Sends the message. Rejects unless SQS has it. */
  send(message: MessageToSend): Promise<{ readonly mayBeTwice: boolean }>;
}
