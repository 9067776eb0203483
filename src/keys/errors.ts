import { BatchlatchError } from '../base/errors.ts';

/**
 * No key can be derived from a record: a path finds nothing, a key function fails, or the payload is not
 * plain JSON (docs/keys.md#what-makes-two-payloads-one-key). Code: `BATCHLATCH_KEY`.
 *
 * @remarks Correct `key`, or the sender.
 */
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
