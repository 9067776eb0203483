import { boundedCall } from './bounded-call.ts';
import type { StoreCallOptions } from './claim-store.ts';
import type { Clock } from './clock.ts';
import { StoreError } from './errors.ts';
import type { ResultStorage } from './result-storage.ts';

/** A completion waits for its result to be stored: a client without time-outs must not hold it up for ever. */
const LONGEST_CALL_MS = 30_000;

/** A storage each of whose calls ends: with its answer, or after 30 seconds with a retryable `StoreError`. */
export function boundedResultStorage(storage: ResultStorage, clock: Clock): ResultStorage {
  const bound = (
    call: (options: StoreCallOptions) => Promise<string>,
    { signal }: StoreCallOptions = {},
  ): Promise<string> =>
    boundedCall((own) => call({ signal: own }), {
      clock,
      limitMs: LONGEST_CALL_MS,
      signal,
      errorOf: () =>
        new StoreError(`The result storage did not answer within ${LONGEST_CALL_MS / 1_000} seconds`, {
          isRetryable: true,
          code: 'BATCHLATCH_STORE_SILENT',
        }),
    });
  return {
    ...(storage.thresholdBytes !== undefined && { thresholdBytes: storage.thresholdBytes }),
    put: (key, owner, json, options) => bound((own) => storage.put(key, owner, json, own), options),
    get: (pointer, options) => bound((own) => storage.get(pointer, own), options),
  };
}
