import type { StoredError } from '../claims/claim.ts';
import type { Settlement } from '../claims/claim-store.ts';
import type { Retentions } from '../claims/retention.ts';
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

/** Decides what is stored of an attempt. `isLast`: no attempt is left after it (`maxAttempts`). */
export type EndingOf = (end: AttemptEnd, isLast: boolean) => Ending;

/** The settlement that stores an ending; `onResultDropped` is called if a result is left out. */
export function settlementOf(
  ending: Ending,
  key: string,
  { owner, releases }: { readonly owner: string; readonly releases: number },
  retention: Retentions,
  onResultDropped: ((error: unknown) => void) | undefined,
): Settlement {
  switch (ending.end) {
    case 'complete': {
      const { result } = ending;
      const retentionMs = retention.completed;
      // Spreads are measurably slower: there are thousands.
      if (result === undefined) return { end: 'complete', key, owner, retentionMs };
      return onResultDropped === undefined
        ? { end: 'complete', key, owner, retentionMs, result }
        : { end: 'complete', key, owner, retentionMs, result, onResultDropped };
    }
    case 'fail':
      return { end: 'fail', key, owner, error: ending.error, retentionMs: retention.failed };
    case 'release':
      return { end: 'release', key, owner, releases, retentionMs: retention.failed };
    case 'park': {
      const retentionMs = ending.isAnswer === true ? retention.completed : retention.parked;
      return { end: 'park', key, owner, error: ending.error, retentionMs };
    }
  }
}
