import type { EncodedMessage } from '../messages/encode-message.ts';

/** The part of a sender that relays use. `createSender()` creates it. */
export interface RowSender {
  /**
   * Sends messages that are encoded already, those of one group in order.
   *
   * @typeParam Row The type of the messages.
   * @param messages The messages.
   * @param options A signal that ends the sending.
   */
  sendEncoded<Row extends EncodedMessage>(
    messages: readonly Row[],
    options?: {
      /** Once aborted, the sender reports what it has, and sends nothing more. */
      readonly signal?: AbortSignal;
    },
  ): Promise<RowsReport<Row>>;
}

/**
 * How the sending of rows ended.
 *
 * @typeParam Row The type of the messages.
 */
export interface RowsReport<Row> {
  /** The messages that the target has. */
  readonly sent: readonly Row[];
  /** The messages that the target does not have. */
  readonly failed: readonly {
    /** The message. */
    readonly message: Row;
    /** The reason. */
    readonly error: Error;
    /** Whether sending it again may help. */
    readonly isRetryable: boolean;
  }[];
  /** The messages without an answer: the target may have them. */
  readonly unknown: readonly {
    /** The message. */
    readonly message: Row;
    /** The reason. */
    readonly error: Error;
  }[];
}
