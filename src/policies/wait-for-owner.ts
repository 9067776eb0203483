import { acquireOrWait } from '../attempts/wait-for-claim.ts';
import type { Claiming } from '../batch/claiming.ts';
import type { ClaimAnswer, Entry } from '../batch/entry.ts';
import type { Conflict, Policy } from '../batch/policy.ts';
import { anInteger, required } from '../options/check-options.ts';
import { checkOptionsOf } from '../options/check-options-of.ts';

/** Options of `waitForOwner`. */
export interface WaitForOwnerOptions {
  /** How long to wait for the other owner of a key, in milliseconds. */
  readonly timeoutMs: number;
}

/** What `waitForOwner` gives. */
export type WaitForOwner = Policy<'onConflict'> & WaitForOwnerOptions;

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
    onConflict: (entry, conflict, claiming) => askAgain(entry, conflict, timeoutMs, claiming),
  };
}

async function askAgain(
  entry: Entry,
  known: Conflict,
  timeoutMs: number,
  claiming: Claiming,
): Promise<ClaimAnswer> {
  const { store, clock, random, deadline, newOwner } = claiming.scope;
  const startedAt = clock.now();
  const owner = newOwner();
  const outcome = await acquireOrWait(store, () => claiming.requestFor(entry, owner), {
    known,
    timeoutMs,
    clock,
    random,
    signal: deadline.stop,
    callSignal: deadline.answerNow,
  });
  return claiming.answerOf(entry, claiming.requestFor(entry, owner), outcome, clock.now() - startedAt);
}
