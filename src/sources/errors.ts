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
