import { countedAttempts } from '../claims/claim.ts';
import type { AllRetentions } from '../claims/retention.ts';
import {
  isPermanent,
  LapsedLeaseError,
  retryLaterMs,
  TooManyAttemptsError,
  TooManyCrashesError,
} from './errors.ts';

/** The rules for whether a key runs and may run again. */
export interface AttemptRules {
  readonly retention: AllRetentions;
  readonly maxAttempts: number | undefined;
  readonly maxCrashes: number | undefined;
  readonly onLapsedLease: 'rerun' | 'park';
}

/** How often a key was claimed, released and left by crashed attempts. */
interface Counts {
  readonly attempt: number;
  readonly releases: number;
  readonly crashes: number;
}

/** Returns why to park the key instead of running it; undefined: it runs. */
export function refusalOf(claim: Counts, rules: AttemptRules): Error | undefined {
  const { maxAttempts, maxCrashes, onLapsedLease } = rules;
  const { crashes } = claim;
  // Not `tookOver`: after the lost answer of a takeover, a retry finds the claim to be its own.
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

export function isLastAttempt(claim: Counts, { maxAttempts }: AttemptRules): boolean {
  return maxAttempts !== undefined && countedAttempts(claim) >= maxAttempts;
}

/** Returns whether rows must tell crashes from claims that never started, because crashes may park a key. */
export function countsDeaths({ onLapsedLease, maxCrashes, maxAttempts }: AttemptRules): boolean {
  // rule: recorded-starts
  return onLapsedLease === 'park' || maxCrashes !== undefined || maxAttempts !== undefined;
}

/** Returns whether the key stays free for another attempt after this error. */
export function mayRunAgain(error: unknown, retryable: ((error: unknown) => boolean) | undefined): boolean {
  try {
    if (retryLaterMs(error) !== undefined) return true;
    return !isPermanent(error) && (retryable === undefined || isYes(retryable(error)));
  } catch {
    return true; // parking is permanent: a broken classifier or an unreadable error must not cause it
  }
}

/** A promise, which JavaScript may return, is a yes. Its rejection would end the process and all records. */
function isYes(answer: unknown): boolean {
  if (answer instanceof Promise) answer.catch(() => undefined);
  return Boolean(answer);
}
