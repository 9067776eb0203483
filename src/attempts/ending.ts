import type { StoredError } from '../claims/claim.ts';
import type { AttemptEnd } from './handler-end.ts';

/** What is stored of how an attempt ended. */
export type Ending =
  | {
      readonly end: 'complete';
      /** JSON text. */
      readonly result?: string;
      /** Why the result is left out of the completion, where it is. */
      readonly dropped?: unknown;
      /** Whether the completion may be stored without its result where there is no room for it. */
      readonly mayDropResult?: boolean;
    }
  | ({ readonly end: 'fail' } & NotCompleted)
  /** Broken off for a reason that is not the work's: it counts as no attempt. */
  | ({ readonly end: 'release' } & NotCompleted)
  /** `isAnswer`: the effect is done, or this is the key's answer, so it is remembered as a completion is. */
  | ({ readonly end: 'park'; readonly isAnswer?: boolean } & NotCompleted);

interface NotCompleted {
  readonly error: StoredError;
  /** Of an attempt that returned: why that cannot be kept as its result. */
  readonly problem?: string;
}

/** Decides what is stored of an attempt. `isLast`: it did not return, and no attempt is left after it (`maxAttempts`). */
export type EndingOf = (end: AttemptEnd, isLast: boolean) => Ending;
