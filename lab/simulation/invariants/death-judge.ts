import type { Settlement } from '../../../src/claims/claim-store.ts';
import type { World } from '../virtual-world/world.ts';
import type { AttemptRegistry } from './attempt-facts.ts';
import type { ClaimRow } from './claim-row.ts';

type Parking = Extract<Settlement, { readonly end: 'park' }>;

/**
 * Judges the parking of keys for what became of their attempts. A claim that was written and never started, because
 * its answer was lost or because its process died before its turn, is no attempt that died.
 */
export class DeathJudge {
  readonly #world: World;
  readonly #attempts: AttemptRegistry;

  constructor(world: World, attempts: AttemptRegistry) {
    this.#world = world;
    this.#attempts = attempts;
  }

  /** `rows` are the states of the key's row in this life, the parked one the last. */
  judge(key: string, rows: readonly (ClaimRow | undefined)[], { error, owner }: Parking): void {
    const { maxCrashes = 1, maxAttempts = 1 } = this.#world.scenario.settings;
    // An attempt may die between the writing of its start and the start itself: it counts as started.
    const saidToStart = new Set(rows.filter((row) => row?.started === true).map((row) => row?.owner));
    const isStarted = (one: string | undefined): boolean =>
      one !== undefined && (saidToStart.has(one) || this.#attempts.get(one)?.run !== undefined);
    const earlier = ownersIn(rows).filter((one) => one !== owner);
    // Only a failure that was settled starts the count anew: what is given back leaves it as it was.
    const lived = rows.filter(
      (row) => row !== undefined && row.status !== 'IN_PROGRESS' && row.owner !== owner && row.crashes === 0,
    );
    const lastFailure = lived.findLast((row) => isStarted(row?.owner))?.owner;
    const sinceFailure = earlier.slice(earlier.lastIndexOf(lastFailure ?? '') + 1);
    const deaths = sinceFailure.filter(isStarted).length;
    const starts = earlier.filter(isStarted).length;
    const least = { LapsedLeaseError: 1, TooManyCrashesError: maxCrashes }[error.name];
    if (least !== undefined && deaths < least) {
      this.#world.report('death-needs-a-start', `${key} is parked with ${error.name} after ${deaths} deaths`);
    }
    if (error.name === 'TooManyAttemptsError' && starts < maxAttempts) {
      this.#world.report('death-needs-a-start', `${key} is parked with ${error.name} after ${starts} starts`);
    }
  }
}

function ownersIn(rows: readonly (ClaimRow | undefined)[]): string[] {
  return [...new Set(rows.flatMap((row) => (row === undefined ? [] : [row.owner])))];
}
