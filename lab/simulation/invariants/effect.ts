import type { CommitItem } from '../../../src/stores/dynamodb/commit-item.ts';

/** What a simulated handler commits: it names its run and the commit, so that a second one of its kind shows. */
export interface Effect {
  readonly key: string;
  readonly owner: string;
  /** Which commit of its run, from 1. */
  readonly nth: number;
}

/** The effect among what a handler commits, in document form. */
export function effectIn(items: readonly CommitItem[]): Effect {
  const effect = items.find(({ Put }) => Put !== undefined)?.Put?.Item;
  if (effect === undefined) throw new Error('A commit without an effect');
  return effect as unknown as Effect;
}
