import type { Clock } from '../base/clock.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import type { Settlements } from '../claims/settlement-queue.ts';
import type { BatchEvent, ObservedAttempt } from '../observe/observer.ts';
import type { Deadline } from './deadline.ts';
import type { Ending, EndingOf } from './ending.ts';
import type { AttemptEnd } from './handler-end.ts';
import type { AttemptRules } from './rules.ts';
import type { StuckHandlers } from './stuck-handlers.ts';
import type { UnstartedClaims } from './unstarted-claims.ts';

/** The state that the attempts of one invocation, or of one call, share. */
export interface AttemptScope {
  readonly time: AttemptTime;
  readonly claims: AttemptClaims;
  readonly watch: AttemptWatch;
}

export interface AttemptTime {
  readonly clock: Clock;
  /** When the invocation or call started, in epoch milliseconds. */
  readonly startedAt: number;
  readonly deadline: Deadline;
  /** Returns the remaining time of the invocation in milliseconds; `Infinity` if unknown. */
  readonly remainingTimeMs: () => number;
  /** Returns the length of a lease requested now, in milliseconds. */
  readonly leaseMs: () => number;
  /** How leases are renewed while handlers run; undefined: they are not. */
  readonly renewal: RenewalOptions | undefined;
  /** The limit for one run of a handler, in milliseconds. */
  readonly timeoutMs: number | undefined;
}

export interface AttemptClaims {
  readonly store: ClaimStore;
  readonly rules: AttemptRules;
  readonly settlements: Settlements<SettlingAttempt>;
  /** Claims that the process releases as soon as its store answers again. */
  readonly unstarted: UnstartedClaims;
  /** Decides how the end of an attempt is stored. */
  readonly endingOf: EndingOf;
}

/** The part of an attempt that the settlement queue uses. */
export interface SettlingAttempt extends ObservedAttempt {
  readonly leaseUntil: number;
  readonly end: AttemptEnd | undefined;
  readonly ending: Ending | undefined;
}

export interface AttemptWatch {
  readonly notify: (event: BatchEvent) => void;
  /** Whether the observer wants the events that every record brings; otherwise they are not created. */
  readonly wants: RoutineEvents;
  /** Undefined: handlers that ignore their signals are not reported. */
  readonly stuck: StuckHandlers | undefined;
}

/** The events that every successful record brings. */
export type RoutineEvents = Readonly<Record<'claimed' | 'started' | 'succeeded' | 'settling', boolean>>;

export interface RenewalOptions {
  /** Milliseconds between renewals, at most half the remaining lease. Default: a third of the lease. */
  readonly intervalMs?: number;
}
