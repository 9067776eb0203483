import type { BatchEvent } from './observer.ts';
import type { ObservedInvocation } from './observed.ts';

/** The metrics of one invocation. */
export interface Totals {
  /** Counts by metric name. */
  readonly counts: Readonly<Record<string, number>>;
  /** Durations in milliseconds by metric name; no list is empty. */
  readonly durations: Readonly<Record<string, readonly number[]>>;
}

/** Metrics counted from events; the others are counted from outcomes. */
const COUNTED: Partial<Readonly<Record<BatchEvent['type'], string>>> = {
  claimed: 'Claimed',
  started: 'Started',
  tookOver: 'TookOver',
  leaseLost: 'Lost',
  parked: 'Parked',
  invalid: 'Failed', // an invalid record has no claim to park
  stuck: 'StuckHandlers',
};

/** Metrics counted from outcomes. */
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

/** All metric names, which custom dimensions must not use. */
export const METRIC_NAMES: readonly string[] = [...new Set([...COUNTS, ...Object.values(DURATIONS), AGE])];

/** A counter of the events of each invocation; several invocations may overlap. */
export class Totalling {
  readonly #now: () => number;
  /** Weak, so that an invocation that never finishes is collected. */
  readonly #tallies = new WeakMap<object, Tally | 'finished'>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the invocation's totals at its end, and those of each later event. */
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

  /** Returns the record's age. A sender's clock may be ahead of this one. */
  #ageOf(recordId: string, invocation: ObservedInvocation | undefined): number | undefined {
    const sentAt = invocation?.recordOf(recordId)?.sentAt;
    return sentAt === undefined ? undefined : Math.max(this.#now() - sentAt, 0);
  }
}

/** A counter of the events of each invocation by type of message. */
export class TypeTotalling {
  readonly #now: () => number;
  readonly #ofTypes = new Map<string, Totalling>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the totals of each type at the invocation's end, and those of each later event. */
  note(event: BatchEvent, invocation: ObservedInvocation | undefined): [type: string, Totals][] {
    if (event.type === 'batchFinished') {
      return Object.entries(event.types ?? {}).flatMap(([type, outcomes]) =>
        this.#noteOf(type, { ...event, outcomes }, invocation),
      );
    }
    const type = 'recordId' in event ? invocation?.typeOf(event.recordId) : undefined;
    return type === undefined ? [] : this.#noteOf(type, event, invocation);
  }

  #noteOf(
    type: string,
    event: BatchEvent,
    invocation: ObservedInvocation | undefined,
  ): [type: string, Totals][] {
    const totalling = this.#ofTypes.get(type) ?? new Totalling(this.#now);
    this.#ofTypes.set(type, totalling);
    const totals = totalling.note(event, invocation);
    return totals === undefined ? [] : [[type, totals]];
  }
}

class Tally implements Totals {
  /** Includes zeros. */
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

/** Returns the totals of an event after its invocation: only events that were not counted before. */
function totalsOfLate({ type }: BatchEvent): Totals | undefined {
  const counted = type === 'stuck' || type === 'leaseLost' ? COUNTED[type] : undefined;
  return counted === undefined ? undefined : { counts: { [counted]: 1 }, durations: {} };
}
