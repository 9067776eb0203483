import type { SettleOutcome } from '../claims/claim-store.ts';
import type { Attempt } from './attempt.ts';
import { ensureLeases, isShort } from './lease.ts';
import { countsDeaths } from './rules.ts';
import type { AttemptClaims, AttemptScope } from './scope.ts';

interface Waiting {
  readonly attempt: Attempt;
  readonly resolve: (mayStart: boolean) => void;
}

/**
 * Prepares the start of handlers: writes it to the row if crashes count, and ensures a sufficient lease.
 * Starts that come while a request is pending share the next one.
 */
export class Starts {
  readonly #scope: AttemptScope;
  readonly #isRecording: boolean;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(scope: AttemptScope) {
    this.#scope = scope;
    this.#isRecording = recordsStarts(scope.claims);
  }

  /** Whether the attempt may start at once: nothing has to be written, and its lease is long enough. */
  isReady(attempt: Attempt): boolean {
    if (!attempt.hasClaim) return true;
    const scope = this.#scope;
    if (attempt.scope === scope ? this.#isRecording : recordsStarts(attempt.scope.claims)) return false;
    const { clock, deadline } = scope.time;
    // After a freeze, both may be over.
    const lastsToTheEnd = attempt.leaseUntil >= deadline.endsAt && attempt.leaseUntil > clock.now();
    return lastsToTheEnd || !isShort(attempt);
  }

  /** Returns the attempts that may start because their claims are still their own. Never rejects. */
  async ready(attempts: readonly Attempt[]): Promise<ReadonlySet<Attempt>> {
    // First the start: writing it takes time, and the lease must be live afterwards.
    const areRecorded = attempts.some(isRecorded)
      ? await Promise.all(attempts.map((attempt) => this.#record(attempt)))
      : undefined;
    const recorded = attempts.filter((_, index) => areRecorded?.[index] !== false);
    const areLive = await ensureLeases(recorded, this.#scope);
    const isStopped = this.#scope.time.deadline.stop.aborted;
    return new Set(isStopped ? [] : recorded.filter((_, index) => areLive[index] === true));
  }

  #record(attempt: Attempt): Promise<boolean> {
    if (!isRecorded(attempt)) return Promise.resolve(true);
    return new Promise((resolve) => {
      this.#waiting.push({ attempt, resolve });
      if (this.#isWriting) return;
      this.#isWriting = true;
      // Starts of the same moment share the request. Fake timers of tests replace `queueMicrotask`.
      void Promise.resolve().then(() => this.#write());
    });
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      const outcomes = await this.#outcomesOf(group);
      group.forEach(({ resolve }, index) => resolve(outcomes[index] === 'stored'));
    }
    this.#isWriting = false;
  }

  async #outcomesOf(group: readonly Waiting[]): Promise<SettleOutcome[]> {
    const {
      claims: { store },
      time: { deadline },
    } = this.#scope;
    // Do not write starts that cannot happen: their claims have to be released before the answer.
    if (deadline.stop.aborted) return [];
    const claims = group.map(({ attempt: { key, owner } }) => ({ key, owner }));
    try {
      return (await store.start?.(claims, { signal: deadline.stop })) ?? [];
    } catch {
      return []; // a start that may not be written must not happen
    }
  }
}

export function recordsStarts({ store, rules }: Pick<AttemptClaims, 'store' | 'rules'>): boolean {
  return countsDeaths(rules) && store.start !== undefined;
}

/** Returns whether the attempt's start is written. Routes differ in this. */
function isRecorded({ scope }: Attempt): boolean {
  return recordsStarts(scope.claims);
}
