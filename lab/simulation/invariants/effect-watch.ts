import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import type { AttemptRegistry } from './attempt-facts.ts';
import type { ClaimWatch } from './claim-watch.ts';
import type { Effect } from './effect.ts';

/** Sees every effect that is committed, in the step in which the store writes it, before its claim is. */
export class EffectWatch {
  readonly #world: World;
  readonly #attempts: AttemptRegistry;
  readonly #claims: ClaimWatch;
  readonly #done = new Map<string, number>();

  constructor(world: World, attempts: AttemptRegistry, claims: ClaimWatch) {
    this.#world = world;
    this.#attempts = attempts;
    this.#claims = claims;
  }

  isDone({ owner, nth }: Effect): boolean {
    return this.#done.get(owner) === nth;
  }

  /** The store writes this effect now; the claim is still as the transaction found it. */
  written({ key, owner, nth }: Effect, by: SimProcess): void {
    this.#world.count('effects committed');
    const row = this.#claims.current(key);
    const facts = this.#attempts.get(owner);
    const run = facts?.run;
    if (run !== undefined) run.isCommitted = true;
    const isOwned = row?.status === 'IN_PROGRESS' && row.owner === owner;
    const told = facts?.commits.find(({ effect }) => effect.nth === nth)?.told;
    const why = this.#objection(key, owner, isOwned, told);
    this.#done.set(owner, nth);
    this.#world.log('store', () => `effect of ${owner} for ${key}, by ${by.name}`);
    if (why !== undefined) this.#world.report('effect-with-completion', `${why} (${owner}, ${key})`);
  }

  #objection(key: string, owner: string, isOwned: boolean, told: string | undefined): string | undefined {
    if (this.#done.has(owner)) return 'the same effect a second time';
    if (!isOwned) return 'an effect of who does not own the claim';
    if (this.#claims.isRemembered(key)) return 'an effect of a key that is completed';
    return told === 'refused' || told === 'lost'
      ? `an effect whose handler was told that it is ${told}`
      : undefined;
  }
}
