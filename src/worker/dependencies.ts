import { type Clock, waitAtMost } from '../base/clock.ts';
import type { CallReport } from './circuit-breaker.ts';

/** A service that handlers need. While it is down, messages stay in the queue. */
export interface Dependency {
  /** The name in events, the health endpoint and metrics: up to 64 letters, digits, and `_ - . :`. */
  readonly name: string;
  /**
   * Returns whether this error of a handler means that the service is down.
   *
   * @param error The error.
   */
  readonly isDown: (error: unknown) => boolean;
  /** Rejects while the service is down. Limit: 5 seconds. Default: the next message is the check. */
  readonly check?: () => Promise<unknown>;
}

/** The name of the claim store among the dependencies. */
export const CLAIM_STORE = 'claim-store';

/** The limit of a check, in milliseconds. A longer one has failed. */
const LONGEST_CHECK_MS = 5_000;

/** The result of a call of the handler. */
export interface CallResult {
  /** Ids of the acknowledged messages. */
  readonly acknowledged: readonly string[];
  /** Ids of the others. */
  readonly failed: ReadonlySet<string>;
  /** Errors of the handlers, as far as they are known. */
  readonly errors: readonly unknown[];
  /** Whether the claim store did not answer for some message. */
  readonly storeFailed: boolean;
  /** Whether the claim store answered for all messages. */
  readonly storeAnswered: boolean;
}

/** Returns which dependencies a call showed to be down or up. */
export function reportOf(dependencies: readonly Dependency[], result: CallResult): CallReport {
  const { errors, failed, acknowledged, storeFailed, storeAnswered } = result;
  const down = new Set<string>();
  for (const { name, isDown } of dependencies) {
    if (errors.some((error) => says(isDown, error))) down.add(name);
  }
  if (storeFailed) down.add(CLAIM_STORE);
  const isWell = acknowledged.length > 0 && failed.size === 0;
  return { down, isUp: (name) => isWell || (name === CLAIM_STORE && storeAnswered) };
}

/** Returns the names whose check fails or takes too long. */
export async function stillDown(
  dependencies: readonly Dependency[],
  names: readonly string[],
  clock: Clock,
): Promise<readonly string[]> {
  const asked = dependencies.filter(({ name }) => names.includes(name));
  const isUp = await Promise.all(asked.map(({ check }) => succeeds(check, clock)));
  return asked.flatMap(({ name }, index) => (isUp[index] === true ? [] : [name]));
}

/** Without a check, a dependency counts as up. */
async function succeeds(check: Dependency['check'], clock: Clock): Promise<boolean> {
  if (check === undefined) return true;
  let isUp = false;
  const checked = Promise.resolve()
    .then(check)
    .then(() => void (isUp = true));
  await waitAtMost(clock, LONGEST_CHECK_MS, checked);
  return isUp;
}

/** Calls a function of the user. An error means no. */
export function says(isSo: (error: unknown) => boolean, error: unknown): boolean {
  try {
    const answer: unknown = isSo(error);
    return answer === true; // false for a promise
  } catch {
    return false;
  }
}
