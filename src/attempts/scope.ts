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

/** What the attempts of one invocation, or of one call, share. */
export interface AttemptScope {
  readonly time: AttemptTime;
  readonly claims: AttemptClaims;
  readonly watch: AttemptWatch;
}

export interface AttemptTime {
  readonly clock: Clock;
  readonly deadline: Deadline;
  /** What is left of the invocation, in milliseconds; `Infinity` if it is unknown. */
  readonly remainingTimeMs: () => number;
  /** The length of a lease that is asked for now, in milliseconds. */
  readonly leaseMs: () => number;
  /** How leases are renewed while handlers run; undefined: not at all. */
  readonly renewal: RenewalOptions | undefined;
  /** A bound for one run of a handler, in milliseconds. */
  readonly timeoutMs: number | undefined;
}

export interface AttemptClaims {
  readonly store: ClaimStore;
  readonly rules: AttemptRules;
  readonly settlements: Settlements<SettlingAttempt>;
  /** What the process has to give back as soon as its store answers again. */
  readonly unstarted: UnstartedClaims;
  /** Decides what is stored of how an attempt ended. */
  readonly endingOf: EndingOf;
}

/** What the queue of settlements knows of an attempt. */
export interface SettlingAttempt extends ObservedAttempt {
  readonly leaseUntil: number;
  readonly end: AttemptEnd | undefined;
  readonly ending: Ending | undefined;
}

export interface AttemptWatch {
  readonly notify: (event: BatchEvent) => void;
  /** Whether somebody wants the events that every record brings: they are made for nobody else. */
  readonly wants: RoutineEvents;
  /** Undefined: nobody is told of handlers that go on long after their signals. */
  readonly stuck: StuckHandlers | undefined;
}

/** The events that a record brings on its usual way. */
export type RoutineEvents = Readonly<Record<'claimed' | 'started' | 'succeeded' | 'settling', boolean>>;

export interface RenewalOptions {
  /** Time between two renewals, in milliseconds; never more than half of what is left of a lease. Default: a third of the lease. */
  readonly intervalMs?: number;
}
