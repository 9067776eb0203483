import { BatchlatchError } from '../base/errors.ts';

/** The handler ran, but its response is not an HTTP response. The key is completed; the handler must be fixed. */
export class ResponseUnreadableError extends BatchlatchError {
  constructor() {
    super(
      'BATCHLATCH_RESPONSE_UNREADABLE',
      'The handler ran, but its response is not an HTTP response: expected a status from 200 to 599 and a body that is a string. It does not run again for this key; fix the handler',
    );
  }
}
