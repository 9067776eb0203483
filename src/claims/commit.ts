import { isObject } from '../base/is-object.ts';

/**
 * What became of an effect and its completion, which are written together or not at all. `stored`: both are.
 * `lost`: the claim is another owner's now. `refused`: the effect cannot be written as it is, and the claim is still
 * the caller's; the store's own error says why. After both, nothing of it is written, nor will be. `error`: it may be
 * written, now or by a request that is still on its way.
 */
export type CommitOutcome =
  | 'stored'
  | 'lost'
  | {
      /** Why the effect cannot be written; nothing is. */
      readonly refused: Error;
    }
  | {
      /**
       * What failed; whether it is written is not known.
       */
      readonly error: Error;
    };

/** What is known of every effect, whatever store it is for. */
export interface Effect {
  /** What the handler handed over: for tests (`memoryStore({ onCommit })`), and to be counted where it is a list. */
  readonly content: unknown;
}

/** What the handler handed over, of an effect that tells; else the effect itself. */
export function contentOf(effect: unknown): unknown {
  return isObject(effect) && 'content' in effect ? effect.content : effect;
}
