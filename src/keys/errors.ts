import { BatchlatchError } from '../base/errors.ts';

/** The error of a record without a valid key, which fails instead of sharing one. Code: `BATCHLATCH_KEY`. */
export class KeyError extends BatchlatchError {
  override name = 'KeyError';
  /**
   * Creates the error; your own key functions may throw it too.
   *
   * @param message Why there is no key.
   * @param options The `cause`.
   */
  constructor(message: string, options?: { cause?: unknown }) {
    super('BATCHLATCH_KEY', message, options);
  }
}
