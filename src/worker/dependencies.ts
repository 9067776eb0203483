import { type Clock, waitAtMost } from '../base/clock.ts';
import type { CallReport } from './circuit-breaker.ts';

/** Something that handlers need: while it is down, messages stay in the queue. */
export interface Dependency {
  /** How events, the health endpoint and metrics call it: up to 64 letters, digits, and `_ - . :`. */
  readonly name: string;
  /**
   * Whether this error of a handler says that it is down.
   *
   * @param error What the handler failed with.
   */
  readonly isDown: (error: unknown) => boolean;
  /**
   * Asks whether it is up, before a message is tried: rejects while it is down. It may take 5 seconds. Default: the next message
   * shows it.
   */
  readonly check?: () => Promise<unknown>;
}

/** How the claim store is called where dependencies are named. */
export const CLAIM_STORE = 'claim-store';

/** How long a check may take, in milliseconds; one that takes longer has failed. */
const LONGEST_CHECK_MS = 5_000;

/** How a call of the handler ended. */
export interface CallResult {
  /** Ids of the messages that it acknowledged. */
  readonly acknowledged: readonly string[];
  /** And those that it did not. */
  readonly failed: ReadonlySet<string>;
  /** What handlers of its messages threw, as far as it is known. */
  readonly errors: readonly unknown[];
  /** The claim store did not answer for some. */
  readonly storeFailed: boolean;
  /** The claim store answered for all. */
  readonly storeAnswered: boolean;
}

/** What the end of a call says of them. */
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

/** Names of those whose check fails, or does not end in time. */
export async function stillDown(
  dependencies: readonly Dependency[],
  names: readonly string[],
  clock: Clock,
): Promise<readonly string[]> {
  const asked = dependencies.filter(({ name }) => names.includes(name));
  const isUp = await Promise.all(asked.map(({ check }) => succeeds(check, clock)));
  return asked.flatMap(({ name }, index) => (isUp[index] === true ? [] : [name]));
}

/** Without a check nothing says that it is down. */
async function succeeds(check: Dependency['check'], clock: Clock): Promise<boolean> {
  if (check === undefined) return true;
  let isUp = false;
  const checked = Promise.resolve()
    .then(check)
    .then(() => void (isUp = true));
  await waitAtMost(clock, LONGEST_CHECK_MS, checked);
  return isUp;
}

/** Whether a function of the user says so; what it throws says nothing. */
export function says(isSo: (error: unknown) => boolean, error: unknown): boolean {
  try {
    const answer: unknown = isSo(error);
    return answer === true; // a promise is no answer
  } catch {
    return false;
  }
}
