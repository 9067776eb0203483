import { BatchlatchError } from '../claims/errors.ts';

/** The record's idempotency key cannot be had. The record fails; it never shares a key with others like it. */
export class KeyError extends BatchlatchError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('BATCHLATCH_KEY', message, options);
  }
}
