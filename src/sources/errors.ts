import { BatchlatchError } from '../base/errors.ts';

/** The event is of a kind that no source here reads. Nothing of it was run. Code: `BATCHLATCH_UNSUPPORTED_EVENT`. */
export class UnsupportedEventError extends BatchlatchError {
  /**
   * Made by batchlatch, and by sources of your own.
   *
   * @param message What was received.
   */
  constructor(message: string) {
    super('BATCHLATCH_UNSUPPORTED_EVENT', message);
  }
}

/** One record is not what its source promises. It fails alone. Code: `BATCHLATCH_MALFORMED_RECORD`. */
export class MalformedRecordError extends BatchlatchError {
  /**
   * Made by batchlatch, and by sources of your own.
   *
   * @param message What is wrong with the record.
   * @param options What made it fail, as its `cause`.
   */
  constructor(message: string, options?: { cause?: unknown }) {
    super('BATCHLATCH_MALFORMED_RECORD', message, options);
  }
}

/**
 * A failed record cannot be named in a partial response, so the batch as a whole has to come back. Code:
 * `BATCHLATCH_UNNAMED_RECORD`.
 */
export class UnnamedRecordError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param count How many records have no identifier.
   */
  constructor(count: number) {
    super(
      'BATCHLATCH_UNNAMED_RECORD',
      `${count} record(s) without a messageId or a sequence number cannot be reported individually: the batch is handed back as a whole, and what is completed will not run again`,
    );
  }
}
