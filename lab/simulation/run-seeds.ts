import type { Violation } from './invariants/invariant.ts';
import { runSeed, type SeedRun } from './run-seed.ts';
import type { Mode } from './scenario.ts';

export interface Failure {
  readonly seed: number;
  readonly mode: Mode;
  readonly violation: Violation;
}

/** What came of a run, without its scenario, which its seed gives again. */
export type Outcome = Omit<SeedRun, 'scenario'> & { readonly seed: number; readonly mode: Mode };

export interface Summary {
  readonly runs: number;
  readonly failures: readonly Failure[];
  readonly steps: number;
  readonly virtualMs: number;
  readonly durationMs: number;
  /** How often what happened, over all runs. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface SeedRange {
  readonly from: number;
  readonly seeds: number;
  readonly modes: readonly Mode[];
  readonly stopsAtFirst: boolean;
}

/** Runs seed after seed, each in every mode. */
export async function runSeeds(
  { from, seeds, modes, stopsAtFirst }: SeedRange,
  onEnd: (outcome: Outcome) => void,
  onStart: (seed: number, mode: Mode) => void = () => undefined,
): Promise<void> {
  for (let seed = from; seed < from + seeds; seed += 1) {
    for (const mode of modes) {
      onStart(seed, mode);
      const { scenario: _scenario, ...run } = await runSeed(seed, mode);
      onEnd({ ...run, seed, mode });
      if (stopsAtFirst && run.violation !== undefined) return;
    }
  }
}

/** Adds outcomes up. */
export class Tally {
  readonly #startedAt = performance.now();
  readonly #failures: Failure[] = [];
  readonly #counts: Record<string, number> = {};
  #runs = 0;
  #steps = 0;
  #virtualMs = 0;

  add({ seed, mode, violation, steps, virtualMs, counts }: Outcome): void {
    this.#runs += 1;
    this.#steps += steps;
    this.#virtualMs += virtualMs;
    for (const [what, count] of Object.entries(counts)) {
      this.#counts[what] = (this.#counts[what] ?? 0) + count;
    }
    if (violation !== undefined) this.#failures.push({ seed, mode, violation });
  }

  summary(): Summary {
    return {
      runs: this.#runs,
      failures: this.#failures,
      steps: this.#steps,
      virtualMs: this.#virtualMs,
      durationMs: Math.round(performance.now() - this.#startedAt),
      counts: this.#counts,
    };
  }
}
