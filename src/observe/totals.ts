import type { BatchEvent } from './observer.ts';
import type { ObservedInvocation } from './observed.ts';

/** What the metrics of one invocation are made of. */
export interface Totals {
  /** By the metric's name. */
  readonly counts: Readonly<Record<string, number>>;
  /** In milliseconds, by the metric's name; none of the lists is empty. */
  readonly durations: Readonly<Record<string, readonly number[]>>;
}

/** Events that are counted as they come; the other counts are those of the outcomes. */
const COUNTED: Partial<Readonly<Record<BatchEvent['type'], string>>> = {
  claimed: 'Claimed',
  started: 'Started',
  tookOver: 'TookOver',
  leaseLost: 'Lost',
  parked: 'Parked',
  invalid: 'Failed', // it has no claim to be parked
  stuck: 'StuckHandlers',
};

/** Outcomes that are counted; the others are counted by their events. */
const COUNTED_OUTCOMES: Readonly<Record<string, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  mismatch: 'Failed',
  unfinished: 'Failed',
  duplicate: 'Duplicates',
  conflict: 'Conflicts',
  'not-started': 'NotStarted',
};

const DURATIONS: Partial<Readonly<Record<BatchEvent['type'], string>>> = {
  claimed: 'ClaimDuration',
  succeeded: 'HandlerDuration',
  failed: 'HandlerDuration',
  abandoned: 'HandlerDuration',
};
const AGE = 'QueueAge';

const COUNTS: readonly string[] = [
  ...new Set([...Object.values(COUNTED), ...Object.values(COUNTED_OUTCOMES)]),
];

/** The metrics' names, for options that must not have one of them. */
export const METRIC_NAMES: readonly string[] = [...new Set([...COUNTS, ...Object.values(DURATIONS), AGE])];

/** Adds up the events of each invocation, of which several may run at a time. */
export class Totalling {
  readonly #now: () => number;
  /** Weak: an invocation that never finishes must not stay. */
  readonly #tallies = new WeakMap<object, Tally | 'finished'>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The totals, when the event completes them: an invocation's at its end, and of what comes after that the event alone. */
  note(event: BatchEvent, invocation: ObservedInvocation | undefined): Totals | undefined {
    const subject = invocation ?? this;
    const known = this.#tallies.get(subject);
    if (known === 'finished') return totalsOfLate(event);
    const tally = known ?? new Tally();
    if (known === undefined) this.#tallies.set(subject, tally);
    if (event.type !== 'batchFinished') {
      tally.add(event);
      if (event.type === 'started') tally.addDuration(AGE, this.#ageOf(event.recordId, invocation));
      return undefined;
    }
    if (invocation === undefined) this.#tallies.delete(subject);
    else this.#tallies.set(subject, 'finished');
    tally.addOutcomes(event.outcomes);
    return tally;
  }

  /** How long ago the record was sent. A sender's clock may be ahead of this one. */
  #ageOf(recordId: string, invocation: ObservedInvocation | undefined): number | undefined {
    const sentAt = invocation?.recordOf(recordId)?.sentAt;
    return sentAt === undefined ? undefined : Math.max(this.#now() - sentAt, 0);
  }
}

/** What has been counted of an invocation that has not finished. */
class Tally implements Totals {
  /** Also those that are 0. */
  readonly counts: Record<string, number> = Object.fromEntries(COUNTS.map((name) => [name, 0]));
  readonly durations: Record<string, number[]> = {};

  add(event: BatchEvent): void {
    const counted = COUNTED[event.type];
    if (counted !== undefined) this.#count(counted, 1);
    const timed = DURATIONS[event.type];
    if (timed !== undefined && 'durationMs' in event) this.addDuration(timed, event.durationMs);
  }

  addDuration(name: string, ms: number | undefined): void {
    if (ms === undefined || !Number.isFinite(ms)) return;
    (this.durations[name] ??= []).push(ms);
  }

  addOutcomes(outcomes: Readonly<Record<string, number>>): void {
    for (const [outcome, count] of Object.entries(outcomes)) {
      const counted = Object.hasOwn(COUNTED_OUTCOMES, outcome) ? COUNTED_OUTCOMES[outcome] : undefined;
      if (counted !== undefined) this.#count(counted, count);
    }
  }

  #count(name: string, count: number): void {
    this.counts[name] = (this.counts[name] ?? 0) + count;
  }
}

/** A handler ended after its invocation: only what nobody has counted yet. */
function totalsOfLate({ type }: BatchEvent): Totals | undefined {
  const counted = type === 'stuck' || type === 'leaseLost' ? COUNTED[type] : undefined;
  return counted === undefined ? undefined : { counts: { [counted]: 1 }, durations: {} };
}
