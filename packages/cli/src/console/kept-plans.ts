import { randomUUID } from 'node:crypto';
import type { Clock } from '../tool-base/clock.ts';
import { ApiError } from './api-error.ts';

/** A plan is what a person has seen; after so long it is no longer what is there. */
const LONGEST_MS = 300_000;
const MOST_KEPT = 20;

/** The plans that were shown, each of which can be carried out once. */
export class KeptPlans<Plan> {
  readonly #clock: Clock;
  readonly #plans = new Map<string, { readonly plan: Plan; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keeps one, and says how it is asked for and until when. */
  keep(plan: Plan): { readonly id: string; readonly expiresAt: string } {
    const id = randomUUID();
    const at = this.#clock.now();
    this.#plans.set(id, { plan, at });
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > MOST_KEPT && oldest !== undefined) this.#plans.delete(oldest);
    return { id, expiresAt: new Date(at + LONGEST_MS).toISOString() };
  }

  /** One that can still be carried out. Throws an `ApiError` for one that is not there or too old. */
  get(id: string): Plan {
    const kept = this.#plans.get(id);
    if (kept === undefined) {
      throw new ApiError(
        409,
        'no-plan',
        'This was done already, or it was planned too long ago. Look again.',
      );
    }
    if (Math.abs(this.#clock.now() - kept.at) <= LONGEST_MS) return kept.plan;
    this.#plans.delete(id);
    throw new ApiError(409, 'plan-too-old', 'This was planned more than 5 minutes ago. Look again.');
  }

  /** It is being carried out, and cannot be again. */
  drop(id: string): void {
    this.#plans.delete(id);
  }
}
