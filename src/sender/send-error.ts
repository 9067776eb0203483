import { BatchlatchError } from '../base/errors.ts';

/**
 * A message was not sent, or nobody knows whether it was (`isUnknown`). Code: `BATCHLATCH_SEND`.
 *
 * @remarks Send it again if `isRetryable`. If `isUnknown`, a second copy may arrive: give the type a `key`,
 * so that the consumer drops it.
 */
export class SendError extends BatchlatchError {
  override name = 'SendError';
  /** Whether sending the message again may succeed without a change. */
  readonly isRetryable: boolean;
  /** Whether the message may have arrived: it was sent, and there was no answer. */
  readonly isUnknown: boolean;

  /**
   * Created by senders; public for tests.
   *
   * @param message Why the message was not sent.
   * @param options Whether sending again may help, whether it may have arrived, and the cause.
   */
  constructor(
    message: string,
    options: { readonly isRetryable: boolean; readonly isUnknown?: boolean; readonly cause?: unknown },
  ) {
    super('BATCHLATCH_SEND', message, { cause: options.cause });
    this.isRetryable = options.isRetryable;
    this.isUnknown = options.isUnknown ?? false;
  }
}

export function notSent(message: string, isRetryable: boolean, cause?: unknown): SendError {
  return new SendError(message, { isRetryable, ...(cause !== undefined && { cause }) });
}

export function perhapsSent(message: string, cause?: unknown): SendError {
  return new SendError(message, {
    isRetryable: true,
    isUnknown: true,
    ...(cause !== undefined && { cause }),
  });
}
