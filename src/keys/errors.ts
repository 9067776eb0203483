import { BatchlatchError } from '../claims/errors.ts';

/** No idempotency key can be derived from the record. The record fails; it never shares a key with others like it. */
export class KeyError extends BatchlatchError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('BATCHLATCH_KEY', message, options);
  }
}
