import { Buffer } from 'node:buffer';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Clock } from '../tool-base/clock.ts';
import { ApiError, badRequest } from './api-error.ts';
import { LONGEST_MS, type Plans, planTooOld } from './plans.ts';

/** The longest plan in bytes of JSON. An Application Load Balancer passes at most 1 MB to a function. */
const LONGEST_BYTES = 300_000;

/**
 * Plans for a server that keeps nothing between requests: the id is the plan itself, which the page sends
 * back. A plan is not signed. Whoever sends one may plan anything, so each is checked like a new request, and
 * carried out on the condition of what it says was seen: a second time it changes nothing.
 */
export class CarriedPlans<Plan> implements Plans<Plan> {
  readonly #clock: Clock;
  readonly #planIn: (given: Readonly<Record<string, unknown>>) => Plan;

  /** `planIn` returns the plan in a page's request, or throws an `ApiError`. */
  constructor(clock: Clock, planIn: (given: Readonly<Record<string, unknown>>) => Plan) {
    this.#clock = clock;
    this.#planIn = planIn;
  }

  keep(plan: Plan): { readonly id: string; readonly expiresAt: string } {
    const at = this.#clock.now();
    const text = Buffer.from(JSON.stringify({ at, plan }));
    if (text.length > LONGEST_BYTES) {
      const message = 'This is too much for one change here. Select fewer, or use the command line.';
      throw new ApiError(413, 'plan-too-long', message);
    }
    const id = deflateRawSync(text).toString('base64url');
    return { id, expiresAt: new Date(at + LONGEST_MS).toISOString() };
  }

  get(id: string): Plan {
    const { at, plan } = textIn(id);
    if (typeof at !== 'number' || typeof plan !== 'object' || plan === null) throw notAPlan();
    if (!(Math.abs(this.#clock.now() - at) <= LONGEST_MS)) throw planTooOld();
    return this.#planIn(plan as Readonly<Record<string, unknown>>);
  }

  drop(): void {
    // The page has it.
  }
}

function textIn(id: string): { readonly at?: unknown; readonly plan?: unknown } {
  try {
    const text = inflateRawSync(Buffer.from(id, 'base64url'), { maxOutputLength: LONGEST_BYTES });
    return (JSON.parse(text.toString('utf8')) ?? {}) as { readonly at?: unknown; readonly plan?: unknown };
  } catch {
    throw notAPlan();
  }
}

function notAPlan(): ApiError {
  return badRequest('Expected `plan` to be the plan that the console answered.');
}
