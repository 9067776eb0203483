import type { BatchRecord } from './record.ts';

/** The records of one event, and how its sender wants to be answered. */
export interface SourceBatch {
  readonly entries: readonly SourceEntry[];
  /** `item-failures`: a list of what failed. `all-or-nothing`: the invocation's success is the answer. */
  readonly answer: 'item-failures' | 'all-or-nothing';
}

/**
 * A record, or what makes it unreadable. Either way it has a place in the response; an entry without an
 * identifier cannot be named there, and then the batch as a whole has to come back.
 */
export interface SourceEntry {
  readonly itemIdentifier: string | undefined;
  /** Records of one lane run in order, one after the other; undefined: on its own. */
  readonly lane: string | undefined;
  readonly read: { readonly record: BatchRecord } | { readonly error: Error };
}
