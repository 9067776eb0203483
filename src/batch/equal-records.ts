import type { PlannedRecord } from './plan.ts';
import type { TurnEnd } from './step.ts';

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
