import type { ClaimStore } from '../claims/claim-store.ts';
import type { Clock } from '../base/clock.ts';
import type { Settlements } from '../claims/settlement-queue.ts';
import type { BatchEvent, SettlingEnd } from '../observe/observer.ts';
import type { Deadline } from './deadline.ts';
import type { AttemptRules } from './rules.ts';
import type { UnstartedClaims } from './unstarted-claims.ts';

/** What the attempts of one invocation, or of one call, share. */
export interface AttemptScope {
  readonly store: ClaimStore;
  readonly clock: Clock;
  readonly rules: AttemptRules;
  readonly deadline: Deadline;
  readonly settlements: Settlements<SettlingEnd>;
  /** What the process has to give back as soon as its store answers again. */
  readonly unstarted: UnstartedClaims;
  /** The length of a lease that is asked for now, in milliseconds. */
  readonly leaseMs: () => number;
  /** How leases are renewed while handlers run; undefined: not at all. */
  readonly renewal: RenewalOptions | undefined;
  /** A bound for one run of a handler, in milliseconds. */
  readonly timeoutMs: number | undefined;
  readonly notify: (event: BatchEvent) => void;
}

export interface RenewalOptions {
  /** Time between two renewals, in milliseconds; never more than half of what is left of a lease. Default: a third of the lease. */
  readonly intervalMs?: number;
}
