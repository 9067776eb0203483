import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { AttemptRegistry, HandlerRun } from './attempt-facts.ts';
import type { ClaimWatch } from './claim-watch.ts';

/** What a simulated handler commits: the name of its run, so that a second one of its kind shows. */
export interface Effect {
  readonly key: string;
  readonly owner: string;
}

/** Sees every effect that is committed, in the step in which the store writes it, before its claim is. */
export class EffectWatch {
  readonly #world: World;
  readonly #attempts: AttemptRegistry;
  readonly #claims: ClaimWatch;
  readonly #owners = new Set<string>();

  constructor(world: World, attempts: AttemptRegistry, claims: ClaimWatch) {
    this.#world = world;
    this.#attempts = attempts;
    this.#claims = claims;
  }

  /** Whether this owner's effect exists. */
  isDone(owner: string): boolean {
    return this.#owners.has(owner);
  }

  /** The store writes this effect now; the claim is still as the transaction found it. */
  written({ key, owner }: Effect, by: SimProcess): void {
    this.#world.count('effects committed');
    const row = this.#claims.current(key);
    const run = this.#attempts.get(owner)?.run;
    if (run !== undefined) run.isCommitted = true;
    const why = this.#objection(key, owner, row?.status === 'IN_PROGRESS' && row.owner === owner, run);
    this.#owners.add(owner);
    this.#world.log('store', () => `effect of ${owner} for ${key}, by ${by.name}`);
    if (why !== undefined) this.#world.report('effect-with-completion', `${why} (${owner}, ${key})`);
  }

  #objection(key: string, owner: string, isOwned: boolean, run: HandlerRun | undefined): string | undefined {
    if (this.#owners.has(owner)) return 'the same effect a second time';
    if (!isOwned) return 'an effect of who does not own the claim';
    if (this.#claims.isRemembered(key)) return 'an effect of a key that is completed';
    return run === undefined ? 'an effect that no handler asked for' : undefined;
  }
}
