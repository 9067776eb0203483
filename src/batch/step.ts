import type { PlannedRecord } from './plan.ts';

/** The claims that are requested ahead of their turns. */
export interface AheadOfTurns {
  /** Returns the next records to claim in one request; undefined if there is none, or no room. */
  nextGroup(): PlannedRecord[] | undefined;
  isUnasked(record: PlannedRecord): boolean;
  /** Makes room for another claim: this record has ended or does not need its claim. */
  makeRoom(record: PlannedRecord): void;
}

export interface Order {
  readonly ahead: AheadOfTurns;
  /** Records run one at a time. Default: lanes run side by side. */
  readonly isAlone: boolean;
  /** Put-off records are left for redelivery. Default: they run last, one at a time. */
  readonly leavesPutOff: boolean;
}

export type Step =
  /** Claim these records in one request. */
  | { readonly do: 'claim'; readonly group: readonly PlannedRecord[] }
  /** Run a record whose claim was requested ahead. */
  | { readonly do: 'run'; readonly record: PlannedRecord }
  /** End a record whose equal record has run. */
  | { readonly do: 'follow'; readonly record: PlannedRecord; readonly leader: PlannedRecord }
  /** Pass over a record that had its outcome before anything ran. */
  | { readonly do: 'pass'; readonly record: PlannedRecord }
  /** Drop a record whose claim was never requested. */
  | { readonly do: 'drop'; readonly record: PlannedRecord; readonly why: 'deadline' | 'order' | 'suspect' }
  /** Withdraw a record and release its claim: its lane failed, or it waits for a put-off record. */
  | { readonly do: 'withdraw'; readonly record: PlannedRecord; readonly why: 'order' | 'put-off' };

/** How a record's turn ended, for the records that wait for it. */
export type TurnEnd = 'ended' | 'held-back' | 'put-off';
