import type { StopSignal } from '../../base/stop.ts';
import { boundedCall } from '../../base/bounded-call.ts';
import type { Clock } from '../../base/clock.ts';
import type { ResultStorage } from '../../claims/result-storage.ts';

/** About as long as both attempts of the client of `s3Results` take. */
const LONGEST_CALL_MS = 15_000;

/**
 * A result storage each of whose calls ends, after 15 seconds at the latest: a completion waits for its result to be
 * kept, and while it hangs the lease lapses and the work is done again.
 */
export function boundedResultStorage(storage: ResultStorage, clock: Clock): ResultStorage {
  const bound = <Answer>(
    call: (signal: AbortSignal) => Promise<Answer>,
    signal: StopSignal | undefined,
  ): Promise<Answer> => boundedCall(call, { clock, limitMs: LONGEST_CALL_MS, signal, errorOf });
  const { thresholdBytes } = storage;
  return {
    ...(thresholdBytes !== undefined && { thresholdBytes }),
    put: (key, owner, json, options) =>
      bound((signal) => storage.put(key, owner, json, { signal }), options?.signal),
    get: (pointer, options) => bound((signal) => storage.get(pointer, { signal }), options?.signal),
  };
}

function errorOf(): Error {
  return new Error(`The result storage did not answer within ${LONGEST_CALL_MS / 1_000} seconds`);
}
