import { BatchlatchError } from '../base/errors.ts';
import type { BatchRecord } from './record.ts';

/** What decoders take and give: text, or bytes. */
export type Encoded = string | Uint8Array;

/**
 * Makes one thing of another on the way from what was delivered to the text of the body. The first step gets a text (SQS,
 * SNS) or bytes (Kinesis, Kafka), each other one what the one before it gave; bytes at the end are read as UTF-8. A
 * `DecodeError` says by `isRetryable` whether a later delivery may help; whatever else is thrown may, but for a
 * `PermanentError`. `decoder()` makes a step of it.
 *
 * @param data What the step before gave.
 * @param record The record as it was delivered.
 * @param options The signal of the invocation.
 */
export type Decoder = (
  data: Encoded,
  record: BatchRecord,
  options: DecoderOptions,
) => Encoded | Promise<Encoded>;

/** What a decoder gets besides the payload. */
export interface DecoderOptions {
  /** Aborted when the invocation's time is nearly over. */
  readonly signal: AbortSignal;
}

/**
 * A record's payload could not be decoded, or is JSON too large to be parsed. The record fails alone. Code:
 * `BATCHLATCH_DECODE`.
 */
export class DecodeError extends BatchlatchError {
  /** Whether the same payload may be decoded later: nothing is wrong with it as far as is known. */
  readonly isRetryable: boolean;

  /**
   * Made by batchlatch, and by decoders of your own.
   *
   * @param message Why it could not be decoded; without any of the payload.
   * @param options Whether a later delivery may help, and what made it fail as its `cause`.
   */
  constructor(message: string, options: { cause?: unknown; isRetryable: boolean }) {
    super('BATCHLATCH_DECODE', message, { cause: options.cause });
    this.isRetryable = options.isRetryable;
  }
}

/** The text that decoding ended with. Throws a `DecodeError` for bytes that are no UTF-8. */
export function decodedText(data: unknown): string {
  if (typeof data === 'string') return data;
  if (!(data instanceof Uint8Array)) {
    throw new DecodeError(
      `A decoder returned ${data === null ? 'null' : `a ${typeof data}`}, not a string or a Uint8Array`,
      { isRetryable: true },
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch (cause) {
    throw new DecodeError('The decoded payload is not UTF-8', { cause, isRetryable: false });
  }
}
