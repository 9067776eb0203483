import { acquireOrWait } from '../attempts/wait-for-claim.ts';
import type { ConflictPolicy } from '../batch/context.ts';
import { anInteger, checkOptionsOf, required } from '../options/check-options.ts';

/** Options of `waitForOwner`. */
export interface WaitForOwnerOptions {
  /** How long to wait for the other owner of a key, in milliseconds. */
  readonly timeoutMs: number;
}

/** What `waitForOwner` gives. */
export type WaitForOwner = ConflictPolicy & WaitForOwnerOptions;

/**
 * For `onConflict`: waits for the owner of a key to end, instead of handing the record back at once. It asks again with
 * back-off until the other attempt has completed (the record is a duplicate), has failed or died (this one takes over), or
 * the time is over (a conflict).
 *
 * @param options How long it waits.
 * @throws `ConfigurationError` for an option that is unknown, missing or impossible.
 *
 * @example
 * createBatchProcessor(handler, { onConflict: waitForOwner({ timeoutMs: 2_000 }) });
 */
export function waitForOwner(options: WaitForOwnerOptions): WaitForOwner {
  checkOptionsOf('waitForOwner', options, { timeoutMs: required(anInteger(1)) });
  const { timeoutMs } = options;
  return {
    option: 'onConflict',
    timeoutMs,
    wait: (known, makeRequest, { claims, time, random }) =>
      acquireOrWait(claims.store, makeRequest, {
        known,
        timeoutMs,
        random,
        clock: time.clock,
        signal: time.deadline.stop,
        callSignal: time.deadline.answerNow,
      }),
  };
}
