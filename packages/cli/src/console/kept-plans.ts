import { randomUUID } from 'node:crypto';
import type { Clock } from '../tool-base/clock.ts';
import { ApiError } from './api-error.ts';

/** How long a plan is valid: it shows what a person saw, which becomes outdated. */
const LONGEST_MS = 300_000;
const MOST_KEPT = 20;

/** The plans that were shown. Each can be carried out once. */
export class KeptPlans<Plan> {
  readonly #clock: Clock;
  readonly #plans = new Map<string, { readonly plan: Plan; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keeps a plan. Returns its id and the time when it expires. */
  keep(plan: Plan): { readonly id: string; readonly expiresAt: string } {
    const id = randomUUID();
    const at = this.#clock.now();
    this.#plans.set(id, { plan, at });
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > MOST_KEPT && oldest !== undefined) this.#plans.delete(oldest);
    return { id, expiresAt: new Date(at + LONGEST_MS).toISOString() };
  }

  /** Returns a valid plan. Throws an `ApiError` for an unknown or expired one. */
  get(id: string): Plan {
    const kept = this.#plans.get(id);
    if (kept === undefined) {
      throw new ApiError(409, 'no-plan', 'This plan was already carried out, or it has expired. Plan again.');
    }
    if (Math.abs(this.#clock.now() - kept.at) <= LONGEST_MS) return kept.plan;
    this.#plans.delete(id);
    throw new ApiError(409, 'plan-too-old', 'This plan is more than 5 minutes old. Plan again.');
  }

  /** Removes a plan, because it is being carried out. */
  drop(id: string): void {
    this.#plans.delete(id);
  }
}
