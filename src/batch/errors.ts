import { BatchlatchError } from '../claims/errors.ts';

/** An event that is delivered alone has to be delivered again; the invocation fails with this, or with the handler's error. */
export class RedeliverError extends BatchlatchError {
  constructor(message: string) {
    super('BATCHLATCH_REDELIVER', message);
  }
}
