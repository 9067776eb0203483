import { randomUUID } from 'node:crypto';
import type { Clock } from '../tool-base/clock.ts';
import { ApiError } from './api-error.ts';
import { LONGEST_MS, type Plans, planTooOld } from './plans.ts';

const MOST_KEPT = 20;

/** The plans in memory. Each can be carried out once. */
export class KeptPlans<Plan> implements Plans<Plan> {
  readonly #clock: Clock;
  readonly #plans = new Map<string, { readonly plan: Plan; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(plan: Plan): { readonly id: string; readonly expiresAt: string } {
    const id = randomUUID();
    const at = this.#clock.now();
    this.#plans.set(id, { plan, at });
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > MOST_KEPT && oldest !== undefined) this.#plans.delete(oldest);
    return { id, expiresAt: new Date(at + LONGEST_MS).toISOString() };
  }

  get(id: string): Plan {
    const kept = this.#plans.get(id);
    if (kept === undefined) {
      throw new ApiError(409, 'no-plan', 'This plan was already carried out, or it has expired. Plan again.');
    }
    if (Math.abs(this.#clock.now() - kept.at) <= LONGEST_MS) return kept.plan;
    this.#plans.delete(id);
    throw planTooOld();
  }

  drop(id: string): void {
    this.#plans.delete(id);
  }
}
