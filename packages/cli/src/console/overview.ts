import type { ClaimAdmin, ClaimState } from 'batchlatch/operations';
import type { Clock } from '../tool-base/clock.ts';
import { isoTime } from '../tool-base/iso-time.ts';
import type { Count, JobJson, OutboxFactsJson, Overview, QueueFactsJson } from './api.ts';
import { messageOf } from './api-error.ts';
import { STATES } from './claim-filter.ts';
import { type FullRead, readAll } from './full-read.ts';
import { type Held, type IndexCount, IndexRead } from './index-read.ts';
import { Repeating } from './repeating.ts';

/** The sources of an overview. */
export interface OverviewPorts {
  readonly store: ClaimAdmin;
  readonly clock: Clock;
  /** The states that an index may have. */
  readonly indexedStates: readonly ClaimState[];
  /** The interval of reading all claims, which replaces the index. */
  readonly readEveryMs: number | undefined;
  readonly estimateRows: ((signal: AbortSignal) => Promise<number | undefined>) | undefined;
  readonly queues: (signal: AbortSignal) => Promise<readonly QueueFactsJson[]>;
  /** Undefined without an outbox. */
  readonly outbox: ((signal: AbortSignal) => Promise<OutboxFactsJson>) | undefined;
  readonly jobs: () => readonly JobJson[];
  /** Called with each overview that differs from the previous one. */
  readonly publish: (overview: Overview) => void;
}

const POLL_EVERY_MS = 2_000;
/** The most entries of an index, and the most whole rows, that polling reads per second. */
const ENTRIES_PER_SECOND = 1_000;
const ROWS_PER_SECOND = 100;
/** The limit with `readEveryMs`. */
const READ_ROWS_PER_SECOND = 10_000;
/** A count older than this is not shown as current. */
const FRESH_MS = 120_000;
const AFTER_ERROR_MS = 5_000;
const ESTIMATE_EVERY_MS = 600_000;
/** Automatic reads show the last 15 minutes. */
const LAST_MS = 900_000;

/**
 * A reader of the state of claims and queues, for all pages together and only while one is open. It counts
 * the states that an index has, and scans only with `readEveryMs`.
 */
export class OverviewReader {
  readonly #ports: OverviewPorts;
  readonly #index: IndexRead;
  readonly #parts: readonly Repeating[];
  #counts: ReadonlyMap<ClaimState, IndexCount> = new Map();
  #oldestLeaseUntil: number | undefined;
  #held: Held | undefined;
  #queues: readonly QueueFactsJson[] = [];
  #outbox: OutboxFactsJson | undefined;
  #read: FullRead | undefined;
  #estimate: number | undefined;
  #estimatedAt = -Infinity;
  #storeError: string | undefined;
  #published = '';

  constructor(ports: OverviewPorts) {
    this.#ports = ports;
    const { clock, store, indexedStates, readEveryMs } = ports;
    this.#index = new IndexRead(store, clock, indexedStates);
    const part = (run: (signal: AbortSignal) => Promise<number>): Repeating => new Repeating(clock, run);
    this.#parts = [
      ...(readEveryMs === undefined
        ? [part((signal) => this.#readCounts(signal)), part((signal) => this.#readHeld(signal))]
        : [part((signal) => this.#readAllClaims(readEveryMs, signal))]),
      part((signal) => this.#readQueues(signal)),
      ...(ports.outbox === undefined ? [] : [part((signal) => this.#readOutbox(signal))]),
      part((signal) => this.#readEstimate(signal)),
    ];
  }

  get indexedStates(): readonly ClaimState[] {
    return this.#index.states;
  }

  get estimatedRows(): number | undefined {
    return this.#estimate;
  }

  start(): void {
    for (const part of this.#parts) part.start();
  }

  /** Stops reading. Resolves when all reads have ended. */
  async rest(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.rest()));
  }

  /** Reads everything once that is read without a scan of the table, and returns it. */
  async readOnce(signal: AbortSignal): Promise<Overview> {
    const claims = async (): Promise<void> => {
      await this.#readCounts(signal);
      await this.#readHeld(signal);
    };
    const isEstimateOld = Math.abs(this.#ports.clock.now() - this.#estimatedAt) > ESTIMATE_EVERY_MS;
    await Promise.all([
      claims(),
      this.#readQueues(signal),
      this.#readOutbox(signal),
      isEstimateOld && this.#readEstimate(signal),
    ]);
    return this.current();
  }

  /** Takes over a read that a person requested. */
  take(read: FullRead): void {
    this.#read = read;
    this.publish();
  }

  /** Publishes the overview if it has changed. */
  publish(): void {
    const overview = this.current();
    const { at: _at, ...rest } = overview;
    const text = JSON.stringify(rest);
    if (text === this.#published) return;
    this.#published = text;
    this.#ports.publish(overview);
  }

  current(): Overview {
    const { clock, jobs } = this.#ports;
    const held = this.#newestHeld();
    const oldest = this.#oldest(held);
    return {
      at: new Date(clock.now()).toISOString(),
      counts: Object.fromEntries(STATES.map((state) => [state, this.#countOf(state)])) as Overview['counts'],
      ...(oldest !== undefined && { oldestOverdue: oldest }),
      overdue: held?.overdue ?? [],
      holders: held?.holders ?? [],
      holdersAreWhole: held?.isWhole ?? false,
      queues: this.#queues,
      ...(this.#outbox !== undefined && { outbox: this.#outbox }),
      ...(this.#read !== undefined && { statistics: this.#read.statistics }),
      jobs: jobs(),
      ...(this.#storeError !== undefined && { storeError: this.#storeError }),
    };
  }

  #newestHeld(): Omit<Held, 'at'> | undefined {
    const [held, read] = [this.#held, this.#read];
    if (held === undefined || read === undefined) return held ?? read;
    return read.at > held.at ? read : held;
  }

  #oldest(held: Omit<Held, 'at'> | undefined): Overview['oldestOverdue'] {
    const [first] = held?.overdue ?? [];
    if (first !== undefined && first.sinceMs <= (this.#oldestLeaseUntil ?? Infinity)) {
      const { key, sinceMs, lockedBy } = first;
      const since = isoTime(sinceMs);
      return since === undefined ? undefined : { key, since, ...(lockedBy !== undefined && { lockedBy }) };
    }
    const since = isoTime(this.#oldestLeaseUntil);
    return since === undefined ? undefined : { since };
  }

  #countOf(state: ClaimState): Count {
    const { readEveryMs } = this.#ports;
    const counted = this.#counts.get(state);
    const read = this.#read;
    if (counted !== undefined && (read === undefined || counted.at >= read.at)) {
      const { count, at, isWhole } = counted;
      if (!isWhole) return { count, kind: 'at-least' };
      const isNow = this.#storeError === undefined && this.#ports.clock.now() - at < FRESH_MS;
      return isNow ? { count, kind: 'exact' } : { count, kind: 'as-of', asOf: new Date(at).toISOString() };
    }
    if (read !== undefined) {
      const { asOf } = read.statistics;
      const count = read.counts[state];
      if (!read.isWhole) return { count, kind: 'at-least', asOf };
      const isNow = readEveryMs !== undefined && this.#storeError === undefined;
      return isNow ? { count, kind: 'exact' } : { count, kind: 'as-of', asOf };
    }
    return state === 'completed' ? this.#estimated() : { count: null, kind: 'unknown' };
  }

  /** Estimates the completed claims, which are most rows of a table. */
  #estimated(): Count {
    if (this.#estimate === undefined) return { count: null, kind: 'unknown' };
    const others = [...this.#counts.values()].reduce((sum, { count }) => sum + count, 0);
    return { count: Math.max(this.#estimate - others, 0), kind: 'estimate' };
  }

  async #readCounts(signal: AbortSignal): Promise<number> {
    return this.#asking(signal, async () => {
      const { counts, oldestLeaseUntil, rowsRead } = await this.#index.counts(signal);
      this.#counts = new Map([...this.#counts, ...counts]);
      this.#oldestLeaseUntil = oldestLeaseUntil;
      return Math.max(POLL_EVERY_MS, (rowsRead / ENTRIES_PER_SECOND) * 1_000);
    });
  }

  async #readHeld(signal: AbortSignal): Promise<number> {
    // Listing a state that may not be in the index could start a scan.
    if (!this.#counts.has('overdue') && !this.#counts.has('in-progress')) return POLL_EVERY_MS / 4;
    return this.#asking(signal, async () => {
      const { rowsRead, ...held } = await this.#index.held(signal);
      this.#held = held;
      return Math.max(POLL_EVERY_MS, (rowsRead / ROWS_PER_SECOND) * 1_000);
    });
  }

  async #readAllClaims(everyMs: number, signal: AbortSignal): Promise<number> {
    return this.#asking(signal, async () => {
      const { store, clock } = this.#ports;
      const begin = clock.now();
      this.#read = await readAll(store, clock, { signal, lastMs: LAST_MS });
      // Reading takes at most a third of the time.
      const { rowsRead } = this.#read.statistics;
      return Math.max(everyMs, 2 * (clock.now() - begin), (rowsRead / READ_ROWS_PER_SECOND) * 1_000);
    });
  }

  async #asking(signal: AbortSignal, ask: () => Promise<number>): Promise<number> {
    try {
      const nextMs = await ask();
      this.#storeError = undefined;
      this.publish();
      return nextMs;
    } catch (error) {
      if (signal.aborted) return 0;
      this.#storeError = messageOf(error);
      this.publish();
      return AFTER_ERROR_MS;
    }
  }

  async #readQueues(signal: AbortSignal): Promise<number> {
    try {
      const queues = await this.#ports.queues(signal);
      if (!signal.aborted) this.#queues = queues;
      this.publish();
    } catch {
      // Each queue reports its own error.
    }
    return POLL_EVERY_MS;
  }

  /** Reads as many entries of the outbox's index per second as of the index of claims. */
  async #readOutbox(signal: AbortSignal): Promise<number> {
    const facts = await this.#ports.outbox?.(signal);
    if (signal.aborted || facts === undefined) return 0;
    this.#outbox = facts;
    this.publish();
    const counted = (facts.waiting.count ?? 0) + (facts.parked.count ?? 0);
    return Math.max(POLL_EVERY_MS, (counted / ENTRIES_PER_SECOND) * 1_000);
  }

  async #readEstimate(signal: AbortSignal): Promise<number> {
    this.#estimatedAt = this.#ports.clock.now();
    try {
      this.#estimate = await this.#ports.estimateRows?.(signal);
      this.publish();
    } catch {
      if (!signal.aborted) this.#estimate = undefined; // no permission
    }
    return ESTIMATE_EVERY_MS;
  }
}
