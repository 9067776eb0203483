import type { StoredError } from '../claims/claim.ts';
import type { AttemptEnd } from './handler-end.ts';

export type Ending =
  | {
      readonly end: 'complete';
      /** JSON text. */
      readonly result?: string;
      /** Why the result is left out of the completion; undefined if it is not. */
      readonly dropped?: unknown;
      /** Whether the store may drop the result if it is too long. */
      readonly mayDropResult?: boolean;
    }
  | ({ readonly end: 'fail' } & NotCompleted)
  /** Interrupted for a reason other than the work: does not count as an attempt. */
  | ({ readonly end: 'release' } & NotCompleted)
  /** `isAnswer`: the effect is done, or this is the final answer: it is kept as long as a completion. */
  | ({ readonly end: 'park'; readonly isAnswer?: boolean } & NotCompleted);

interface NotCompleted {
  readonly error: StoredError;
  /** Why the returned value cannot be kept as a result. */
  readonly problem?: string;
}

/** Decides how an end is stored. `isLast`: it did not return, and `maxAttempts` allows no further attempt. */
export type EndingOf = (end: AttemptEnd, isLast: boolean) => Ending;
