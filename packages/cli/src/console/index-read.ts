import { type ClaimAdmin, type ClaimState, stateOf } from 'batchlatch/operations';
import type { Clock } from '../tool-base/clock.ts';
import type { HolderJson, OverdueJson } from './api.ts';
import { ReadTally } from './read-tally.ts';

/** The number of claims in a state, from the index. */
export interface IndexCount {
  readonly count: number;
  /** False if the count stopped early. */
  readonly isWhole: boolean;
  readonly at: number;
}

/** The owners of claims, from the index. */
export interface Held {
  readonly at: number;
  readonly overdue: readonly OverdueJson[];
  readonly holders: readonly HolderJson[];
  readonly isWhole: boolean;
}

/** A count stops after this many entries. */
const MOST_COUNTED = 100_000;
/** The rows per state that are read to find the owners of claims. */
const MOST_HELD = 200;

/** The counts and owners from a store's index, without scans of states that the index lacks. */
export class IndexRead {
  readonly #store: ClaimAdmin;
  readonly #clock: Clock;
  readonly #states: Set<ClaimState>;
  #isSure = false;

  constructor(store: ClaimAdmin, clock: Clock, states: readonly ClaimState[]) {
    this.#store = store;
    this.#clock = clock;
    this.#states = new Set(states);
  }

  /** The states that the index has, as far as known. */
  get states(): readonly ClaimState[] {
    return [...this.#states];
  }

  /** Counts every state that the index has. Stops at the first page of a scan. */
  async counts(signal: AbortSignal): Promise<{
    readonly counts: ReadonlyMap<ClaimState, IndexCount>;
    readonly oldestLeaseUntil?: number;
    readonly rowsRead: number;
  }> {
    const counts = new Map<ClaimState, IndexCount>();
    let rowsRead = 0;
    let oldestLeaseUntil: number | undefined;
    for (const state of this.#states) {
      let count = 0;
      let cursor: string | undefined;
      do {
        const page = await this.#store.count({ state, ...(cursor !== undefined && { cursor }) }, { signal });
        rowsRead += page.rowsRead;
        if (page.readBy === 'scan') {
          // A store without an index for one state has none at all.
          if (this.#isSure) this.#states.delete(state);
          else this.#states.clear();
          return { counts, rowsRead };
        }
        this.#isSure = true;
        count += page.count;
        if (cursor === undefined && page.oldestLeaseUntil !== undefined) {
          oldestLeaseUntil = page.oldestLeaseUntil;
        }
        cursor = page.next;
      } while (cursor !== undefined && count < MOST_COUNTED && !signal.aborted);
      counts.set(state, { count, isWhole: cursor === undefined, at: this.#clock.now() });
    }
    return { counts, rowsRead, ...(oldestLeaseUntil !== undefined && { oldestLeaseUntil }) };
  }

  /** Reads who owns claims: up to 200 that run and 200 that are overdue. */
  async held(signal: AbortSignal): Promise<Held & { readonly rowsRead: number }> {
    const tally = new ReadTally();
    let rowsRead = 0;
    let isWhole = true;
    for (const state of ['overdue', 'in-progress'] as const) {
      if (!this.#states.has(state)) continue;
      const page = await this.#store.list({ state, limit: MOST_HELD }, { signal });
      const now = this.#clock.now();
      for (const claim of page.claims) tally.add(claim, stateOf(claim, now));
      rowsRead += page.rowsRead;
      isWhole &&= page.next === undefined;
    }
    return {
      at: this.#clock.now(),
      overdue: tally.overdue(),
      holders: tally.holders(),
      isWhole,
      rowsRead,
    };
  }
}
