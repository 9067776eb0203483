import { BatchlatchError } from '../base/errors.ts';

/**
 * No idempotency key can be derived from the record. The record fails; it never shares a key with others like it.
 * Code: `BATCHLATCH_KEY`.
 */
export class KeyError extends BatchlatchError {
  /**
   * Made by batchlatch, and by key functions of your own.
   *
   * @param message Why there is no key.
   * @param options What made it fail, as its `cause`.
   */
  constructor(message: string, options?: { cause?: unknown }) {
    super('BATCHLATCH_KEY', message, options);
  }
}
