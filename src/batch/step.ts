import type { PlannedRecord } from './plan.ts';

/** How far ahead of their turns records are claimed. A claim that waits for its turn uses up its lease. */
export interface Reach {
  /** While fewer claims than this are unfinished, more are asked for. */
  readonly ahead: number;
  /** So many are asked for together, even if that is more than there is room for. */
  readonly atLeast: number;
  /** The most that one request takes. */
  readonly atMost: number;
}

/** How the records of a batch are run. */
export interface Order {
  readonly reach: Reach;
  /** One record runs at a time. Default: lane beside lane. */
  readonly isAlone: boolean;
  /** What was put off is left to be delivered again. Default: it runs last, alone. */
  readonly leavesPutOff: boolean;
}

/** What is to be done next. */
export type Step =
  /** These may be claimed in one request. */
  | { readonly do: 'claim'; readonly group: readonly PlannedRecord[] }
  /** Its turn has come, and its claim has been asked for before. */
  | { readonly do: 'run'; readonly record: PlannedRecord }
  /** An equal record has run for it. */
  | { readonly do: 'follow'; readonly record: PlannedRecord; readonly leader: PlannedRecord }
  /** It had its outcome before anything ran. */
  | { readonly do: 'pass'; readonly record: PlannedRecord }
  /** Nothing has been asked for it, and nothing will be. */
  | { readonly do: 'drop'; readonly record: PlannedRecord; readonly why: 'deadline' | 'order' | 'suspect' }
  /**
   * It does not run now, and its claim is given back: `order`, because one before it in its lane was not acknowledged;
   * `put-off`, because one that it waits for runs last.
   */
  | { readonly do: 'withdraw'; readonly record: PlannedRecord; readonly why: 'order' | 'put-off' };

/** How a record's turn ended, for the records that wait for it. */
export type TurnEnd = 'ended' | 'held-back' | 'put-off';
