import type { PlannedRecord } from './plan.ts';
import type { Reach } from './record-route.ts';
import type { AheadOfTurns, TurnEnd } from './step.ts';

/** The states of claims that are requested ahead. `DONE` takes no room any more. */
const UNASKED = 0;
const ASKED = 1;
const DONE = 2;

/** The claims that are requested ahead of their turns, in the order of the batch. */
export class ClaimsAhead implements AheadOfTurns {
  readonly #records: readonly PlannedRecord[];
  readonly #reach: Reach;
  readonly #states: Uint8Array;
  #next = 0;
  /** The number of claims that were requested ahead and have not ended. */
  #unfinished = 0;

  /** `records` are some of the `size` records of the batch. */
  constructor(records: readonly PlannedRecord[], reach: Reach, size: number = records.length) {
    this.#records = records;
    this.#reach = reach;
    this.#states = new Uint8Array(size);
  }

  nextGroup(): PlannedRecord[] | undefined {
    const { ahead, atLeast, atMost } = this.#reach;
    if (this.#next >= this.#records.length || this.#unfinished >= ahead) return undefined;
    const most = Math.min(atMost, Math.max(atLeast, ahead - this.#unfinished));
    const group: PlannedRecord[] = [];
    for (; group.length < most && this.#next < this.#records.length; this.#next += 1) {
      const record = this.#records[this.#next] as PlannedRecord;
      if (!this.isUnasked(record) || !isClaimedAhead(record)) continue;
      this.#states[record.index] = ASKED;
      group.push(record);
    }
    this.#unfinished += group.length;
    return group.length === 0 ? undefined : group;
  }

  isUnasked({ index }: PlannedRecord): boolean {
    return this.#states[index] === UNASKED;
  }

  makeRoom({ index }: PlannedRecord): void {
    if (this.#states[index] === ASKED) this.#unfinished -= 1;
    this.#states[index] = DONE;
  }
}

/** Returns whether a record may be claimed ahead of its turn: no earlier record has its key. */
export function isClaimedAhead({ leader, behind, outcome }: PlannedRecord): boolean {
  return leader === undefined && behind === undefined && outcome === undefined;
}

/** The records that wait for an earlier one with their key: followers, and those with another payload. */
export class EqualRecords {
  readonly #ends: (TurnEnd | undefined)[] = [];
  readonly #waiters = new Map<PlannedRecord, PlannedRecord[]>();
  /** The follower that runs in place of a leader that was held back in its own lane. */
  readonly #heirs = new Map<PlannedRecord, PlannedRecord>();

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
   * Returns the equal record that runs for this one; undefined if this one runs itself. If a leader was held
   * back by a failure in its own lane, the first follower to come runs in its place, so other lanes do not
   * wait. If that one was put off, an earlier one of the batch replaces it: put-off records run in the order
   * of the batch, and this one's lane would go on without it.
   */
  firstOf(record: PlannedRecord, leader: PlannedRecord): PlannedRecord | undefined {
    let first = leader;
    while (this.#ends[first.index] === 'held-back') {
      const heir = this.#heirs.get(first) ?? record;
      if (heir === record || (this.#ends[heir.index] === 'put-off' && record.index < heir.index)) {
        this.#heirs.set(first, record);
        return undefined;
      }
      first = heir;
    }
    return first;
  }
}
