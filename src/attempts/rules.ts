import { countedAttempts } from '../claims/claim.ts';
import type { AllRetentions } from '../claims/retention.ts';
import {
  isPermanent,
  LapsedLeaseError,
  retryLaterMs,
  TooManyAttemptsError,
  TooManyCrashesError,
} from './errors.ts';

/** What decides whether a key runs, and whether it may run again. */
export interface AttemptRules {
  readonly retention: AllRetentions;
  readonly maxAttempts: number | undefined;
  readonly maxCrashes: number | undefined;
  readonly onLapsedLease: 'rerun' | 'park';
}

/** How often a key was claimed, given back, and left by attempts that died. */
interface Counts {
  readonly attempt: number;
  readonly releases: number;
  readonly crashes: number;
}

/** Why the key is to be parked instead of being run once more; undefined: it runs. */
export function refusalOf(claim: Counts, rules: AttemptRules): Error | undefined {
  const { maxAttempts, maxCrashes, onLapsedLease } = rules;
  const { crashes } = claim;
  // Not `tookOver`: the answer of a takeover may be lost, and the second one says that the claim was mine.
  // rule: lapsed-lease-parks
  if (onLapsedLease === 'park' && crashes > 0) return new LapsedLeaseError();
  // rule: max-crashes
  if (maxCrashes !== undefined && crashes >= maxCrashes) return new TooManyCrashesError(maxCrashes);
  // rule: max-attempts
  if (maxAttempts !== undefined && countedAttempts(claim) > maxAttempts) {
    return new TooManyAttemptsError(maxAttempts);
  }
  return undefined;
}

/** Whether no attempt is left after this one. */
export function isLastAttempt(claim: Counts, { maxAttempts }: AttemptRules): boolean {
  return maxAttempts !== undefined && countedAttempts(claim) >= maxAttempts;
}

/**
 * Whether rows have to tell an attempt that died in its handler from one that never started: where a death may park,
 * or counts towards what may.
 */
export function countsDeaths({ onLapsedLease, maxCrashes, maxAttempts }: AttemptRules): boolean {
  // rule: recorded-starts
  return onLapsedLease === 'park' || maxCrashes !== undefined || maxAttempts !== undefined;
}

/** Whether an error that was thrown leaves the key free for another attempt. */
export function mayRunAgain(error: unknown, retryable: ((error: unknown) => boolean) | undefined): boolean {
  try {
    if (retryLaterMs(error) !== undefined) return true;
    return !isPermanent(error) && (retryable === undefined || retryable(error));
  } catch {
    return true; // parking is for good; a broken classifier, or an error that cannot be read, must not decide that
  }
}
