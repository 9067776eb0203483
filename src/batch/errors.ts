import { BatchlatchError } from '../base/errors.ts';

/**
 * An event that is delivered alone has to be delivered again; the invocation fails with this, or with the handler's
 * error. Code: `BATCHLATCH_REDELIVER`.
 */
export class RedeliverError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param message Which records have to come again.
   */
  constructor(message: string) {
    super('BATCHLATCH_REDELIVER', message);
  }
}
