import type { EncodedMessage } from '../messages/encode-message.ts';

/** The part of a sender that relays use. `createSender()` creates it. */
export interface RowSender {
  /**
   * Sends messages that are encoded already, those of one group in order.
   *
   * @param messages The messages.
   * @param options A signal that ends the sending.
   */
  sendEncoded<Row extends EncodedMessage>(
    messages: readonly Row[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<RowsReport<Row>>;
}

/** How the sending of rows ended. */
export interface RowsReport<Row> {
  readonly sent: readonly Row[];
  readonly failed: readonly { readonly message: Row; readonly error: Error; readonly isRetryable: boolean }[];
  readonly unknown: readonly { readonly message: Row; readonly error: Error }[];
}
