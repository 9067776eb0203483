import type { BatchRecord } from './record.ts';
import type { UnwrapStep } from './unwrap-steps.ts';

/** The records of one event, and how its sender wants to be answered. */
export interface SourceBatch {
  readonly entries: readonly SourceEntry[];
  /**
   * `item-failures`: a list of what failed. `checkpoint`: the first that failed, in the batch's order; it and all
   * after it come again. `all-or-nothing`: the invocation's success is the answer.
   */
  readonly answer: 'item-failures' | 'checkpoint' | 'all-or-nothing';
  /**
   * The sender does not wait for a visibility timeout before it delivers again: Lambda retries an asynchronous
   * invocation after one and two minutes, a stream at once. A lease must not outlive a process for longer than that.
   */
  readonly comesAgainSoon?: true;
}

/**
 * A record, or what makes it unreadable. Either way it has a place in the response; an entry without an
 * identifier cannot be named there, and then the batch as a whole has to come back.
 */
export interface SourceEntry {
  readonly itemIdentifier: string | undefined;
  /** Records of one lane run in order, one after the other; undefined: on its own. */
  readonly lane: string | undefined;
  readonly read: ReadRecord;
}

export type ReadRecord =
  | { readonly record: BatchRecord }
  /** With the record as it was delivered, where only its payload could not be decoded. */
  | { readonly error: Error; readonly isRetryable?: boolean; readonly delivered?: BatchRecord }
  /** It carries no work, such as the message by which S3 tries out a queue. */
  | { readonly ignored: string };

/** How texts become bodies; `AS_DELIVERED`: they are the payload itself. */
export interface Reading {
  /** From the outermost to the innermost; empty: the text is the payload itself. */
  readonly unwrap: readonly UnwrapStep[];
  /** What `decode` made of the text of the record at this place, where it did; undefined: what was delivered counts. */
  readonly decoded?: (index: number) => string | undefined;
}

export const AS_DELIVERED: Reading = { unwrap: [] };
