import { BatchlatchError } from '../claims/errors.ts';

/** The event is of a kind that no source here reads. Nothing of it was run. */
export class UnsupportedEventError extends BatchlatchError {
  constructor(message: string) {
    super('BATCHLATCH_UNSUPPORTED_EVENT', message);
  }
}

/** One record is not what its source promises. It fails alone. */
export class MalformedRecordError extends BatchlatchError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('BATCHLATCH_MALFORMED_RECORD', message, options);
  }
}

/** A failed record cannot be named in a partial response, so the batch as a whole has to come back. */
export class UnnamedRecordError extends BatchlatchError {
  constructor(count: number) {
    super(
      'BATCHLATCH_UNNAMED_RECORD',
      `${count} record(s) without a messageId or a sequence number cannot be reported individually: the batch is handed back as a whole, and what is completed will not run again`,
    );
  }
}
