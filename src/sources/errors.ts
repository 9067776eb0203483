import { BatchlatchError } from '../base/errors.ts';

/** The error of an event that no source can read. No record was run. Code: `BATCHLATCH_UNSUPPORTED_EVENT`. */
export class UnsupportedEventError extends BatchlatchError {
  override name = 'UnsupportedEventError';
  /**
   * Creates the error; your own sources may throw it too.
   *
   * @param message What was received, and why it cannot be read.
   */
  constructor(message: string) {
    super('BATCHLATCH_UNSUPPORTED_EVENT', message);
  }
}

/** The error of a record that is not what its source documents. Code: `BATCHLATCH_MALFORMED_RECORD`. */
export class MalformedRecordError extends BatchlatchError {
  override name = 'MalformedRecordError';
  /**
   * Creates the error; your own sources may throw it too.
   *
   * @param message What is wrong with the record.
   * @param options The `cause`.
   */
  constructor(message: string, options?: { cause?: unknown }) {
    super('BATCHLATCH_MALFORMED_RECORD', message, options);
  }
}

/**
 * The error of a failed record that cannot be named in a partial response, so the whole batch is delivered
 * again. Code: `BATCHLATCH_UNNAMED_RECORD`.
 */
export class UnnamedRecordError extends BatchlatchError {
  override name = 'UnnamedRecordError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param count How many records have no identifier.
   */
  constructor(count: number) {
    super(
      'BATCHLATCH_UNNAMED_RECORD',
      `${count} record(s) without a messageId or a sequence number cannot be reported individually: ` +
        'the batch is handed back as a whole, and what is completed will not run again',
    );
  }
}
