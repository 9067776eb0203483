import { isObject } from '../base/is-object.ts';

/**
 * The outcome of an effect and its completion, which are written together or not at all. `stored`: both are.
 * `lost`: another owner has the claim. `refused`: this effect cannot be written, and the claim is
 * still the caller's. After `lost` and `refused` nothing is or will be written. `error`: both may be written,
 * now or by a request that is still pending.
 */
export type CommitOutcome =
  | 'stored'
  | 'lost'
  | {
      /** Why the effect cannot be written. */
      readonly refused: Error;
    }
  | {
      /** The store's error. Whether the write happened is unknown. */
      readonly error: Error;
    };

/** The common part of all effects. */
export interface Effect {
  /** The value that the handler passed, for tests (`memoryStore({ onCommit })`); counted if it is a list. */
  readonly content: unknown;
}

export function contentOf(effect: unknown): unknown {
  return isObject(effect) && 'content' in effect ? effect.content : effect;
}
