import { acquireOrWait } from '../attempts/wait-for-claim.ts';
import type { ConflictPolicy } from '../batch/context.ts';
import { anInteger, checkOptionsOf, required } from '../options/check-options.ts';

/** Options of `waitForOwner()`. */
export interface WaitForOwnerOptions {
  /** The longest wait for the other owner of a key, in milliseconds. */
  readonly timeoutMs: number;
}

/** The result of `waitForOwner()`. */
export type WaitForOwner = ConflictPolicy & WaitForOwnerOptions;

/**
 * Returns the policy for `onConflict` that waits for the owner of a key instead of handing the record back at
 * once. It polls with backoff until the other attempt has completed (the record is a duplicate), has failed
 * or died (this attempt takes over), or `timeoutMs` has passed (a conflict).
 *
 * @param options The longest wait.
 * @throws `ConfigurationError` for missing or invalid options.
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
    wait: (known, makeRequest, onLost, { claims, time, random }) =>
      acquireOrWait(claims.store, makeRequest, {
        known,
        timeoutMs,
        random,
        clock: time.clock,
        signal: time.deadline.stop,
        callSignal: time.deadline.answerNow,
        onLost,
      }),
  };
}
