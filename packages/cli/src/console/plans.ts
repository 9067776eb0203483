import { ApiError } from './api-error.ts';

/** The plans that were shown, until they are carried out. */
export interface Plans<Plan> {
  /** Keeps a plan. Returns its id and the time when it expires. */
  keep(plan: Plan): { readonly id: string; readonly expiresAt: string };
  /** Returns a valid plan. Throws an `ApiError` for an unknown or expired one. */
  get(id: string): Plan;
  /** Removes a plan, because it is being carried out. */
  drop(id: string): void;
}

/** How long a plan is valid: it shows what a person saw, which becomes outdated. */
export const LONGEST_MS = 300_000;

export function planTooOld(): ApiError {
  return new ApiError(409, 'plan-too-old', 'This plan is more than 5 minutes old. Plan again.');
}
