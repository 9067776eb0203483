import { BatchlatchError } from '../base/errors.ts';

/**
 * No source reads the event, `source` names another service, or it has a tumbling window, whose answer must
 * carry a state. Nothing was run, and the invocation fails. Code: `BATCHLATCH_UNSUPPORTED_EVENT`.
 *
 * @remarks Check the function's trigger, and `source`: docs/sources.md.
 */
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

/**
 * A record is not what its source documents: no body, another `eventSource`, or no envelope for `decode`. The
 * record is `invalid`. Code: `BATCHLATCH_MALFORMED_RECORD`.
 *
 * @remarks Fix the sender.
 */
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
 * A failed record has no `messageId`, sequence number or offset for the partial response. Code:
 * `BATCHLATCH_UNNAMED_RECORD`.
 *
 * @remarks Check the source of the event: AWS names each record.
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
      `${count} record(s) have no messageId or sequence number, so the whole batch is handed back`,
    );
  }
}
