/** What a client asked of a store, as the checker reads it (`checker/history.go`). Times are epoch milliseconds. */
export interface HistoryRequest {
  readonly op: 'acquire' | 'settle' | 'extend' | 'start' | 'operate' | 'inspect';
  readonly key: string;
  /** Of each acquire and each person's change another one. */
  readonly owner?: string;
  readonly leaseMs?: number;
  readonly recordsStart?: boolean;
  readonly end?: string;
  readonly result?: string;
  readonly releases?: number;
  readonly operation?: string;
  readonly seenStatus?: string;
  readonly seenOwner?: string;
  readonly seenAttempt?: number;
  readonly isForced?: boolean;
}

/** What it was answered, with those members that the answer has; the rest is compared as 0, false or empty. */
export interface HistoryAnswer {
  readonly status: string;
  readonly attempt?: number;
  readonly releases?: number;
  readonly crashes?: number;
  readonly tookOver?: boolean;
  readonly result?: string;
  readonly owner?: string;
  readonly isStarted?: boolean;
  readonly hasError?: boolean;
  readonly leaseUntil?: number;
}

/** A moment by both clocks: nanoseconds since the run began, for the order of things, and what leases go by. */
export interface Moment {
  readonly at: number;
  readonly epochMs: number;
}

/** What a client writes down: first that it asks, then what it was answered; no answer where the store could not say. */
export type LogLine =
  | { readonly id: number; readonly called: Moment; readonly requests: readonly HistoryRequest[] }
  | {
      readonly id: number;
      readonly returned: Moment;
      readonly answers: readonly (HistoryAnswer | null)[];
    };

/** A line of a history. Without `return` it may have happened at any time after its call, or never. */
export interface HistoryLine {
  readonly client: number;
  readonly call: number;
  readonly return: number | null;
  readonly request: HistoryRequest & {
    readonly from: number;
    readonly until: number;
    readonly wasResent: boolean;
  };
  /** Null where nobody knows whether it happened. */
  readonly answer: HistoryAnswer | null;
}

/** Now, in a run that began at this time of `process.hrtime.bigint()`: processes of a machine share that clock. */
export function momentSince(origin: bigint): Moment {
  return { at: Number(process.hrtime.bigint() - origin), epochMs: Date.now() };
}
