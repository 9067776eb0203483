import type { PlannedRecord } from './plan.ts';
import type { Reach, TurnEnd } from './step.ts';

/** Whether its claim has been asked for ahead of its turn. DONE: it takes up no room among those any more. */
const UNASKED = 0;
const ASKED = 1;
const DONE = 2;

/** The claims of a batch that are asked for ahead of the turns of their records, in the batch's order. */
export class ClaimsAhead {
  readonly #records: readonly PlannedRecord[];
  readonly #reach: Reach;
  readonly #states: Uint8Array;
  #next = 0;
  /** Claims that were asked for ahead and have not ended. */
  #unfinished = 0;

  constructor(records: readonly PlannedRecord[], reach: Reach) {
    this.#records = records;
    this.#reach = reach;
    this.#states = new Uint8Array(records.length);
  }

  /** Returns the next records to claim, in one request; undefined: there is none, or no room for it. */
  nextGroup(): PlannedRecord[] | undefined {
    const { ahead, atLeast, atMost } = this.#reach;
    if (this.#next >= this.#records.length || this.#unfinished >= ahead) return undefined;
    const most = Math.min(atMost, Math.max(atLeast, ahead - this.#unfinished));
    const group: PlannedRecord[] = [];
    for (; group.length < most && this.#next < this.#records.length; this.#next += 1) {
      const record = this.#records[this.#next] as PlannedRecord;
      if (this.#states[this.#next] !== UNASKED || !isClaimedAhead(record)) continue;
      this.#states[this.#next] = ASKED;
      group.push(record);
    }
    this.#unfinished += group.length;
    return group.length === 0 ? undefined : group;
  }

  isUnasked({ index }: PlannedRecord): boolean {
    return this.#states[index] === UNASKED;
  }

  /** The record has ended, or does not need its claim: there is room for another. */
  makeRoom({ index }: PlannedRecord): void {
    if (this.#states[index] === ASKED) this.#unfinished -= 1;
    this.#states[index] = DONE;
  }
}

/** Returns whether a record is claimed ahead of its turn: not where another record of its key comes before it. */
export function isClaimedAhead({ leader, behind, outcome }: PlannedRecord): boolean {
  return leader === undefined && behind === undefined && outcome === undefined;
}

/**
 * The records of a batch that wait for another with their key: a follower for its leader, and a record with another payload for the
 * one before it.
 */
export class EqualRecords {
  readonly #ends: (TurnEnd | undefined)[] = [];
  readonly #waiters = new Map<PlannedRecord, PlannedRecord[]>();
  /** The follower that runs in the place of a leader that was held back for its own lane's sake. */
  readonly #heirs = new Map<PlannedRecord, PlannedRecord>();

  /** Notes how the turn of a record ended, and returns the records that waited for it. */
  noteEnd(record: PlannedRecord, end: TurnEnd): readonly PlannedRecord[] | undefined {
    this.#ends[record.index] = end;
    const waiters = this.#waiters.get(record);
    if (waiters !== undefined) this.#waiters.delete(record);
    return waiters;
  }

  endOf({ index }: PlannedRecord): TurnEnd | undefined {
    return this.#ends[index];
  }

  wait(record: PlannedRecord, before: PlannedRecord): void {
    const waiters = this.#waiters.get(before);
    if (waiters === undefined) this.#waiters.set(before, [record]);
    else waiters.push(record);
  }

  /**
   * Returns the equal record that runs for this one. A leader that was held back behind a failure of its lane is no reason for
   * another lane to wait: the first follower to come runs in its place. Undefined: this is it.
   */
  firstOf(record: PlannedRecord, leader: PlannedRecord): PlannedRecord | undefined {
    let first = leader;
    while (this.#ends[first.index] === 'held-back') {
      const heir = this.#heirs.get(first) ?? record;
      this.#heirs.set(first, heir);
      if (heir === record) return undefined;
      first = heir;
    }
    return first;
  }
}
